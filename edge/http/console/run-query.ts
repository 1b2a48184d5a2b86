/** For a trigger's page, and for the `runs.json` behind it. */
import { z } from 'zod'
import { RUN_STATUSES, type RunStatus } from '../../../shared/wire/trigger.ts'
import { decodeCursor } from '../../queue/page-cursor.ts'
import type { PageQuery } from '../../queue/run-pages.ts'
import { CHART_RANGES, type ChartRange } from '../../queue/trigger-glance.ts'

/** About two screens. */
const LINES = 25

export type RunQuery = {
  page: PageQuery
  status: RunStatus | undefined
  /** `undefined` for the newest runs. */
  cursor: string | undefined
  range: ChartRange | undefined
}

const status = z.enum(RUN_STATUSES)
const range = z.enum(Object.keys(CHART_RANGES) as [ChartRange, ...ChartRange[]])

/** Ignores invalid values, so that a mistyped link shows the newest runs. */
export function runQuery(url: string, triggerId: string): RunQuery {
  const { searchParams } = new URL(url)
  const wanted = status.safeParse(searchParams.get('status')).data
  const cursor = searchParams.get('cursor') ?? undefined
  const before = cursor === undefined ? undefined : decodeCursor(triggerId, cursor)
  return {
    page: { limit: LINES, status: wanted, before },
    status: wanted,
    cursor: before === undefined ? undefined : cursor,
    range: range.safeParse(searchParams.get('range')).data,
  }
}
