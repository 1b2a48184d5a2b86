import { z } from 'zod'
import { ERROR_GROUPS_PAGE_MAX, FAILED_RUNS_PAGE_MAX, RUNS_PAGE_DEFAULT } from '../limits.ts'
import { integerText } from './fields.ts'
import { queryTime } from './run.ts'
import { timeText } from './text.ts'
import { RUN_STATUSES } from './trigger.ts'

export const fingerprintSchema = z
  .string()
  .regex(/^[0-9a-f]{16}$/, 'expected a fingerprint of 16 hex characters')

export const triggerIdText = z
  .string()
  .regex(/^[A-Za-z0-9_-]{32}$/, 'expected a trigger ID of 32 characters')

/** Filters of failed runs. Their times are the times at which the runs failed. */
export const failedRunFilter = {
  trigger_id: triggerIdText.optional().describe('Only failed runs of this trigger.'),
  fingerprint: fingerprintSchema.optional().describe('Only failed runs of this error group.'),
  since: queryTime.optional().describe('Only runs that failed at this time or later (RFC 3339).'),
  until: queryTime.optional().describe('Only runs that failed before this time (RFC 3339).'),
}

const pageOf = (max: number) => ({
  limit: integerText
    .transform((limit) => Math.min(Math.max(limit, 1), max))
    .default(RUNS_PAGE_DEFAULT),
  /** Value of `next_cursor` in the previous page. Absent for the first page. */
  cursor: z.string().max(256).optional(),
})

export const failedRunsQuery = z.object({
  ...failedRunFilter,
  replayed: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional()
    .describe('Only runs that were replayed, or only runs that were not.'),
  ...pageOf(FAILED_RUNS_PAGE_MAX),
})

const { fingerprint: _, ...groupFilter } = failedRunFilter
export const errorGroupsQuery = z.object({ ...groupFilter, ...pageOf(ERROR_GROUPS_PAGE_MAX) })

const next_cursor = z
  .string()
  .nullable()
  .describe('Cursor of the next page. Null on the last page.')

const failedRunReplay = z.object({
  /** Bulk replay that includes the run. Null if the run was replayed individually. */
  replay_id: z.string().nullable(),
  /** ID of the new run, which does not exist while `status` is `pending`. */
  run_id: z.string(),
  status: z
    .enum(['pending', ...RUN_STATUSES])
    .nullable()
    .describe(
      'pending: the bulk replay has not queued the run yet. Null if the run is no longer in the history or its trigger does not respond.',
    ),
})

/** A run that failed after its last attempt. The run history has its input and logs. */
export const failedRun = z.object({
  id: z.string(),
  trigger_id: z.string(),
  fingerprint: z.string().describe('Equal for runs that failed with the same error.'),
  code: z
    .string()
    .describe('action_threw if the action threw; otherwise the reason, such as origin_lost.'),
  message: z.string().describe('The first 500 characters.'),
  frame: z.string().nullable().describe('First line of the stack trace.'),
  attempt: z.int(),
  queued_at: timeText,
  failed_at: timeText,
  replay: failedRunReplay.nullable().describe('The latest replay of the run, or null.'),
})
export type FailedRun = z.infer<typeof failedRun>

export const failedRunsResponse = z.object({ failed_runs: z.array(failedRun), next_cursor })

/** Failed runs with the same fingerprint. */
export const errorGroup = z.object({
  fingerprint: z.string(),
  count: z.int(),
  /** Number of these runs that were replayed. */
  replayed: z.int(),
  first_failed_at: timeText,
  last_failed_at: timeText,
  /** The latest of these runs. */
  example: failedRun.pick({ id: true, trigger_id: true, code: true, message: true, frame: true }),
  trigger_ids: z.array(z.string()).describe('Triggers of these runs, at most 100.'),
})
export type ErrorGroup = z.infer<typeof errorGroup>

export const errorGroupsResponse = z.object({ error_groups: z.array(errorGroup), next_cursor })
