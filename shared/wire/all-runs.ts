import { z } from 'zod'
import { RUNS_PAGE_DEFAULT, RUNS_PAGE_MAX } from '../limits.ts'
import { triggerIdText } from './failed-runs.ts'
import { integerText } from './fields.ts'
import { hasErrorsOnly, runFilterFields } from './run.ts'
import { timeText } from './text.ts'
import { RUN_STATUSES, waitingFor } from './trigger.ts'

export const allRunsQuery = z
  .object({
    limit: integerText
      .transform((limit) => Math.min(Math.max(limit, 1), RUNS_PAGE_MAX))
      .default(RUNS_PAGE_DEFAULT),
    /** Value of `next_cursor` in the previous page. Absent for the first page. */
    cursor: z.string().max(256).optional(),
    trigger_id: triggerIdText.optional().describe('Only runs of this trigger.'),
    ...runFilterFields,
  })
  .refine(...hasErrorsOnly)
export type AllRunsQuery = z.infer<typeof allRunsQuery>

/** A run in the list of the runs of all triggers. `GET /api/runs/<id>` returns its input, whole response and logs. */
export const listedRun = z.object({
  id: z.string(),
  trigger_id: z.string(),
  trigger_name: z.string().nullable().describe('Null if the trigger was just deleted.'),
  status: z.enum(RUN_STATUSES),
  /** Kind of the event that the run processes. `params` for a test without an event. */
  source: z.enum(['webhook', 'webhook_batch', 'schedule', 'chain_event', 'params']),
  summary: z
    .string()
    .nullable()
    .describe(
      'First 300 characters of the error, or of the response as JSON. Null until the run finishes.',
    ),
  test: z.boolean(),
  /** True if the run is a replay of another run. */
  replay: z.boolean(),
  reorged: z.boolean(),
  attempt: z.int(),
  waiting_for: waitingFor.nullable(),
  queued_at: timeText,
  started_at: timeText.nullable(),
  finished_at: timeText.nullable(),
})
export type ListedRun = z.infer<typeof listedRun>

export const allRunsResponse = z.object({
  runs: z.array(listedRun),
  next_cursor: z
    .string()
    .nullable()
    .describe(
      'Cursor of the next page. Null on the last page. A page reads a limited number of runs of at most 50 triggers, so that a page before the last can be short or empty.',
    ),
})
