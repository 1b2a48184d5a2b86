import { z } from 'zod'
import { triggerIdText } from '../../../shared/wire/failed-runs.ts'
import { type RunSearch, runSearchFields } from '../../../shared/wire/run-search.ts'
import { RUN_STATUSES } from '../../../shared/wire/trigger.ts'
import type { AllRunsFilter } from '../../reports/list-all-runs.ts'

export const FILTER_FIELDS = [
  'status',
  'trigger',
  'since',
  'until',
  'error',
  'header',
  'param',
] as const
type FilterField = (typeof FILTER_FIELDS)[number]

export type EnteredFilter = {
  /** The filter as it was entered. A text that is not valid is shown again, with its problem. */
  entered: Record<FilterField, string>
  problems: Partial<Record<FilterField, string>>
  filter: AllRunsFilter
}

const statusSchema = z.enum(RUN_STATUSES)

/** Value of `<input type="datetime-local">`. */
const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/

/** Ignores invalid choices, so that a mistyped link shows the newest runs. Times are in UTC. */
export function readAllRunsQuery(url: string): EnteredFilter {
  const { searchParams } = new URL(url)
  const problems: EnteredFilter['problems'] = {}
  const textOf = (name: FilterField) => searchParams.get(name)?.trim() ?? ''
  const entered = Object.fromEntries(FILTER_FIELDS.map((name) => [name, textOf(name)])) as Record<
    FilterField,
    string
  >
  const search: RunSearch = {}
  for (const name of ['error', 'header', 'param'] as const) {
    if (entered[name] === '') continue
    const read = runSearchFields[name].safeParse(entered[name])
    if (read.success) Object.assign(search, { [name]: read.data })
    else problems[name] = read.error.issues[0]!.message
  }
  const timeOf = (name: 'since' | 'until') => {
    if (entered[name] === '') return undefined
    const at = LOCAL_TIME.test(entered[name]) ? Date.parse(`${entered[name]}Z`) : Number.NaN
    if (!Number.isNaN(at)) return at
    problems[name] = 'expected a time, such as 2026-05-22T13:05'
    return undefined
  }
  const status = statusSchema.safeParse(entered.status).data
  if (search.error !== undefined && (status ?? 'failed') !== 'failed')
    problems.error = 'only failed runs have an error'
  return {
    entered,
    problems,
    filter: {
      status,
      triggerId: triggerIdText.safeParse(entered.trigger).data,
      since: timeOf('since'),
      until: timeOf('until'),
      search,
    },
  }
}
