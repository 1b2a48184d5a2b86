import { z } from 'zod'
import {
  REPLAY_IDS_MAX,
  REPLAY_RUNS_MAX,
  REPLAYS_PAGE_MAX,
  REPLAYS_PER_MINUTE_DEFAULT,
  REPLAYS_PER_MINUTE_MAX,
} from '../limits.ts'
import { fingerprintSchema, triggerIdText } from './failed-runs.ts'
import { integerText } from './fields.ts'
import { queryTime, replayRequest } from './run.ts'
import { timeText } from './text.ts'

const number = (value: number) => value.toLocaleString('en-US')

const FILTERS = ['fingerprint', 'trigger_id', 'since', 'until'] as const

const hasFilter = (request: Partial<Record<(typeof FILTERS)[number], unknown>>) =>
  FILTERS.some((name) => request[name] !== undefined)

/** Selects the runs of a bulk replay: by their IDs, or the failed runs that match all of the given filters. */
export const bulkReplayRequest = z
  .strictObject({
    run_ids: z
      .array(z.string().regex(/^[A-Za-z0-9_-]{48}$/, 'expected a run ID of 48 characters'))
      .min(1)
      .max(REPLAY_IDS_MAX)
      .overwrite((ids) => [...new Set(ids)])
      .optional()
      .describe(`IDs of the runs, at most ${number(REPLAY_IDS_MAX)}, without other filters.`),
    fingerprint: fingerprintSchema.optional().describe('Failed runs of this error group.'),
    trigger_id: triggerIdText.optional().describe('Failed runs of this trigger.'),
    since: queryTime.optional().describe('Runs that failed at this time or later (RFC 3339).'),
    until: queryTime.optional().describe('Runs that failed before this time (RFC 3339).'),
    include_replayed: z
      .boolean()
      .default(false)
      .describe('Also runs that were already replayed. By default they are left out.'),
    code: replayRequest.shape.code,
    per_minute: z
      .int()
      .min(1)
      .max(REPLAYS_PER_MINUTE_MAX)
      .default(REPLAYS_PER_MINUTE_DEFAULT)
      .describe('Maximum number of replays that are queued per minute.'),
  })
  .refine((request) => request.run_ids !== undefined || hasFilter(request), {
    path: ['run_ids'],
    error: 'expected run_ids, or at least one of fingerprint, trigger_id, since and until',
  })
  .refine((request) => request.run_ids === undefined || !hasFilter(request), {
    path: ['run_ids'],
    error: 'they already select the runs: omit fingerprint, trigger_id, since and until',
  })
export type BulkReplayRequest = z.infer<typeof bulkReplayRequest>

export const replayPreview = z.object({
  selected: z
    .int()
    .describe(`Number of runs that would be replayed, at most ${number(REPLAY_RUNS_MAX)}.`),
  /** Number of matching runs that are left out, because they were already replayed. */
  already_replayed: z.int(),
  triggers: z.array(
    z.object({
      trigger_id: z.string(),
      name: z.string().nullable().describe('Null if the trigger was deleted.'),
      runs: z.int(),
      enabled: z.boolean().describe('Runs of a disabled trigger are skipped.'),
    }),
  ),
  per_minute: z.int(),
  estimated_s: z
    .int()
    .describe('Estimated time until all runs have started, by per_minute and max_runs_per_minute.'),
  min_cost_cents: z
    .int()
    .describe(
      'Minimum cost if all runs succeed: one cent for each started second. Failed runs are free.',
    ),
})
export type ReplayPreview = z.infer<typeof replayPreview>

export const REPLAY_STATUSES = ['running', 'done', 'cancelled'] as const

/** A bulk replay. `selected` is the sum of the other counts when the replay is done. */
export const replayRecord = z.object({
  id: z.string(),
  status: z.enum(REPLAY_STATUSES),
  code: z.enum(['original', 'current']),
  per_minute: z.int(),
  selected: z.int(),
  /** Number of runs that were queued. Each has the ID of the original run in `replay_of`. */
  replayed: z.int(),
  skipped: z.object({
    trigger_disabled: z.int(),
    trigger_deleted: z.int(),
    run_deleted: z.int(),
    queue_full: z.int().describe('The queue had no room for 24 hours.'),
    cancelled: z.int(),
  }),
  /** Number of runs that could not be queued after several attempts. */
  failed: z.int(),
  /** Number of runs that are still to be replayed. */
  remaining: z.int(),
  waiting_for: z.array(
    z.object({ trigger_id: z.string(), reason: z.literal('queue_full'), since: timeText }),
  ),
  created_at: timeText,
  finished_at: timeText.nullable(),
})
export type ReplayRecord = z.infer<typeof replayRecord>

export const replaysQuery = z.object({
  limit: integerText
    .transform((limit) => Math.min(Math.max(limit, 1), REPLAYS_PAGE_MAX))
    .default(REPLAYS_PAGE_MAX),
  /** Value of `next_cursor` in the previous page. Absent for the first page. */
  cursor: z.string().max(256).optional(),
})

export const replaysResponse = z.object({
  replays: z.array(replayRecord),
  next_cursor: z.string().nullable().describe('Cursor of the next page. Null on the last page.'),
})
