import { z } from 'zod'
import { RUN_STATUSES, type RunStatus } from '../../../../shared/wire/trigger.ts'
import { decodeCursor } from '../../../queue/page-cursor.ts'
import type { PageQuery } from '../../../queue/run-pages.ts'
import { CHART_RANGES, type ChartRange } from '../../../queue/trigger-snapshot.ts'

const RUNS_PER_PAGE = 25

export type RunQuery = {
  page: PageQuery
  status: RunStatus | undefined
  cursor: string | undefined
  range: ChartRange | undefined
}

const statusSchema = z.enum(RUN_STATUSES)
const rangeSchema = z.enum(Object.keys(CHART_RANGES) as [ChartRange, ...ChartRange[]])

/** Ignores invalid values, so that a mistyped link shows the newest runs. */
export function readRunQuery(url: string, triggerId: string): RunQuery {
  const { searchParams } = new URL(url)
  const wanted = statusSchema.safeParse(searchParams.get('status')).data
  const cursor = searchParams.get('cursor') ?? undefined
  const before = cursor === undefined ? undefined : decodeCursor(triggerId, cursor)
  return {
    page: { limit: RUNS_PER_PAGE, status: wanted, before },
    status: wanted,
    cursor: before === undefined ? undefined : cursor,
    range: rangeSchema.safeParse(searchParams.get('range')).data,
  }
}
