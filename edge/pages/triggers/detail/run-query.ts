import { z } from 'zod'
import { type RunSearch, runSearchFields } from '../../../../shared/wire/run-search.ts'
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
  /** The search as it was entered. A text that is not valid is shown again, with its problem. */
  search: Record<SearchField, string>
  problems: Partial<Record<SearchField, string>>
}

export const SEARCH_FIELDS = ['error', 'header', 'param'] as const
type SearchField = (typeof SEARCH_FIELDS)[number]

const statusSchema = z.enum(RUN_STATUSES)
const rangeSchema = z.enum(Object.keys(CHART_RANGES) as [ChartRange, ...ChartRange[]])

/** Ignores invalid values of the other parameters, so that a mistyped link shows the newest runs. */
export function readRunQuery(url: string, triggerId: string): RunQuery {
  const { searchParams } = new URL(url)
  const wanted = statusSchema.safeParse(searchParams.get('status')).data
  const cursor = searchParams.get('cursor') ?? undefined
  const before = cursor === undefined ? undefined : decodeCursor(triggerId, cursor)
  const search = { error: '', header: '', param: '' }
  const problems: RunQuery['problems'] = {}
  const found: RunSearch = {}
  for (const name of SEARCH_FIELDS) {
    search[name] = searchParams.get(name)?.trim() ?? ''
    if (search[name] === '') continue
    const read = runSearchFields[name].safeParse(search[name])
    if (read.success) Object.assign(found, { [name]: read.data })
    else problems[name] = read.error.issues[0]!.message
  }
  return {
    page: { limit: RUNS_PER_PAGE, status: wanted, before, search: found },
    search,
    problems,
    status: wanted,
    cursor: before === undefined ? undefined : cursor,
    range: rangeSchema.safeParse(searchParams.get('range')).data,
  }
}
