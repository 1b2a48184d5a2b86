import { z } from 'zod'
import { RUN_WAIT_MAX_S, RUNS_PAGE_DEFAULT, RUNS_PAGE_MAX } from '../limits.ts'
import { paramsSchema } from './action-call.ts'
import { integerText } from './fields.ts'
import { isSearch, runSearchFields } from './run-search.ts'
import { parseRfc3339 } from './rfc3339.ts'
import { RUN_STATUSES, runRecord, type RunStatus } from './trigger.ts'

const EXPECTED_TIME =
  'expected an RFC 3339 time, such as 2026-05-22T13:05:00Z (in a query, write + as %2B)'

/** A time in RFC 3339, transformed into Unix milliseconds. */
export const queryTime = z
  .string()
  .refine((text) => parseRfc3339(text) !== undefined, { error: EXPECTED_TIME })
  .transform((text) => Date.parse(text))
  .meta({ format: 'date-time' })

/** Filters of lists of runs. */
export const runFilterFields = {
  status: z.enum(RUN_STATUSES).optional().describe('Only runs with this status.'),
  since: queryTime.optional().describe('Only runs queued at this time or later (RFC 3339).'),
  until: queryTime.optional().describe('Only runs queued before this time (RFC 3339).'),
  ...runSearchFields,
}

/** Arguments of `refine`, for a query with `runFilterFields`. */
export const hasErrorsOnly = [
  ({ error, status }: { error?: string | undefined; status?: RunStatus | undefined }) =>
    error === undefined || (status ?? 'failed') === 'failed',
  {
    path: ['status'] as PropertyKey[],
    error: 'only failed runs have an error: omit status, or send failed',
  },
] as const

export const runsQuery = z
  .object({
    limit: integerText
      .transform((limit) => Math.min(Math.max(limit, 1), RUNS_PAGE_MAX))
      .default(RUNS_PAGE_DEFAULT),
    offset: integerText.pipe(z.number().min(0)).optional(),
    /** Value of `next_cursor` in the previous page. Absent for the first page. */
    cursor: z.string().optional(),
    ...runFilterFields,
  })
  .refine(({ cursor, offset }) => cursor === undefined || offset === undefined, {
    path: ['cursor'],
    error: 'it already sets the start of the page: omit offset',
  })
  .refine(({ offset, ...search }) => offset === undefined || !isSearch(search), {
    path: ['offset'],
    error: 'cannot be combined with error, header or param: use cursor',
  })
  .refine(...hasErrorsOnly)

export const runQuery = z.object({
  /** Long polling: maximum time to wait for the run to finish, in seconds. */
  wait: integerText.pipe(z.number().min(0).max(RUN_WAIT_MAX_S)).default(0),
})

export const runsResponse = z.object({
  runs: z.array(runRecord),
  next_cursor: z
    .string()
    .nullable()
    .describe(
      'Cursor of the next page. Null on the last page. A search reads a limited number of runs, so that a page before the last can be short or empty.',
    ),
})

export const testRequest = z
  .strictObject({
    params: paramsSchema.meta({
      description: 'Params that the event would add to default_params.',
    }),
    event: z.unknown().describe('Webhooks: the JSON value that a sender would POST.'),
  })
  .partial()
  // A null event is valid if `params` is absent. Otherwise, a null event counts as absent.
  .refine((body) => ('params' in body ? (body.event ?? null) === null : 'event' in body), {
    error: 'expected either params or event',
  })

export const replayRequest = z.strictObject({
  code: z
    .enum(['original', 'current'])
    .default('current')
    .describe(
      'The code and default_params to use: the trigger’s current ones, or those of the original run.',
    ),
})
export type ReplayCode = z.infer<typeof replayRequest>['code']

export const queuedResponse = z.object({ run_id: z.string(), status: z.literal('queued') })

export const purgeResponse = z.object({ cancelled: z.int() })
