/** What is asked of runs, beside their record (`trigger.ts`): `decisions.md`, Runs list, Test, Clearing up. */
import { z } from 'zod'
import { RUN_WAIT_MAX_S, RUNS_PAGE_DEFAULT, RUNS_PAGE_MAX } from '../limits.ts'
import { paramsSchema } from './action-call.ts'
import { integerText } from './fields.ts'
import { RUN_STATUSES, runRecord } from './trigger.ts'

const RFC3339 = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i
const EXPECTED_TIME =
  'expected an RFC 3339 time, such as 2026-05-22T13:05:00Z (a + is written %2B in a query)'

/** Whether the month has the day: `Date` takes the 30th of February for a day of March. */
function isDay(day: string): boolean {
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}

/** Gives Unix milliseconds. */
const time = z
  .string()
  .refine((text) => isDay(RFC3339.exec(text)?.[1] ?? '') && !Number.isNaN(Date.parse(text)), {
    error: EXPECTED_TIME,
  })
  .transform((text) => Date.parse(text))
  .meta({ format: 'date-time' })

/** Of `GET /api/triggers/<id>/runs`. */
export const runsQuery = z
  .object({
    limit: integerText
      .transform((limit) => Math.min(Math.max(limit, 1), RUNS_PAGE_MAX))
      .default(RUNS_PAGE_DEFAULT),
    offset: integerText.pipe(z.number().min(0)).optional(),
    /** `next_cursor` of the page before. */
    cursor: z.string().optional(),
    status: z.enum(RUN_STATUSES).optional().describe('Those with this status alone.'),
    since: time.optional().describe('Queued at this time or later: RFC 3339.'),
    until: time.optional().describe('Queued before this time: RFC 3339.'),
  })
  .refine(({ cursor, offset }) => cursor === undefined || offset === undefined, {
    path: ['cursor'],
    error: 'it says already where the page begins: leave offset out',
  })

/** Of `GET /api/runs/<id>`. */
export const runQuery = z.object({
  /** Seconds that the answer may wait for the run's end. */
  wait: integerText.pipe(z.number().min(0).max(RUN_WAIT_MAX_S)).default(0),
})

/** A page of a history. */
export const runsAnswer = z.object({
  runs: z.array(runRecord),
  /** The next page's `cursor`; null where there is none. */
  next_cursor: z.string().nullable(),
})

/** Of `POST /api/triggers/<id>/test`: one of the two. */
export const testRequest = z
  .strictObject({
    params: paramsSchema.meta({ description: 'What the event would add to default_params.' }),
    event: z.unknown().describe('Webhooks: what a sender would POST as JSON; any JSON value.'),
  })
  .partial()
  // Null is an event like any other, but beside params it is a field that a client left out.
  .refine((body) => ('params' in body ? (body.event ?? null) === null : 'event' in body), {
    error: 'expected either params or event',
  })

/** Of `POST /api/runs/<id>/replay`. */
export const replayRequest = z.strictObject({
  code: z
    .enum(['original', 'current'])
    .default('current')
    .describe(
      'Whose code and default_params: the trigger’s as they are now, or those that the run had.',
    ),
})
export type ReplayCode = z.infer<typeof replayRequest>['code']

/** A run was queued. */
export const queuedAnswer = z.object({ run_id: z.string(), status: z.literal('queued') })

/** Of `POST /api/triggers/<id>/purge`. */
export const purgeAnswer = z.object({ cancelled: z.int() })
