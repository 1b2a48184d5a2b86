/** Records of the trigger service. Times are in RFC 3339, in UTC. */
import type { z } from 'zod'
import type { ChainRecord } from '../../wire/chains.ts'
import type { meResponse } from '../../wire/me.ts'
import type { ListedRun as ListedRunRecord } from '../../wire/all-runs.ts'
import type { ErrorGroup, FailedRun } from '../../wire/failed-runs.ts'
import type { bulkReplayRequest, ReplayPreview, ReplayRecord } from '../../wire/replays.ts'
import type { previewRequest } from '../../wire/preview.ts'
import type {
  purgeResponse,
  queuedResponse,
  replayRequest,
  runsResponse,
  testRequest,
} from '../../wire/run.ts'
import type {
  createTriggerRequest,
  patchTriggerRequest,
  RunStatus,
  runRecord,
  triggerRecord,
} from '../../wire/trigger.ts'

export type { TriggerPreview } from '../../wire/preview.ts'
export type { ListedTrigger, RunStatus, StoredTrigger } from '../../wire/trigger.ts'

/**
 * Fields of a new trigger. `options` and all fields with a default are optional. Exactly one of `usage_api_key` and
 * `usage_key_of` is required.
 */
export type TriggerFields = z.input<typeof createTriggerRequest>
/** Changes to a trigger. Absent fields stay unchanged. `kind` cannot be changed. */
export type TriggerChanges = Omit<z.input<typeof patchTriggerRequest>, 'kind'>
export type PreviewFields = z.input<typeof previewRequest>

export type Trigger = z.infer<typeof triggerRecord>

/** Record of a run. Lists may omit the largest inputs (`input_omitted`). `run(id)` returns the complete record. */
export type Run = z.infer<typeof runRecord>
export type RunsPage = z.infer<typeof runsResponse>
/** A run that was stored durably, with its `run_id`. */
export type QueuedRun = z.infer<typeof queuedResponse>
/**
 * Run of a posted event. If the delivery was deduplicated, `duplicate` is set, and the run belongs to the first
 * delivery. If `options.filter` did not match the event, the status is `filtered`, and there is no run.
 */
export type FiredRun =
  | (QueuedRun & { duplicate?: true })
  | { status: 'filtered'; run_id?: never; duplicate?: never }
/**
 * Input of a test run. `params` are added to `default_params`, as for an event. For webhooks, `event` may be given
 * instead.
 */
export type TestFields = Pick<z.input<typeof testRequest>, 'params'> | { event: unknown }
export type ReplayFields = z.input<typeof replayRequest>
export type Purged = z.infer<typeof purgeResponse>
/** A chain that triggers can watch, its watermark, and the health of its nodes. */
export type Chain = ChainRecord
/** Owner and expiry of an agent token. */
export type Me = z.infer<typeof meResponse>

export type TriggerFilter = { kind?: Trigger['kind']; enabled?: boolean }
export type RunFilter = {
  status?: RunStatus
  /** Earliest time at which the runs were queued, inclusive: RFC 3339, or a Date. */
  since?: string | Date
  /** Latest time at which the runs were queued, exclusive: RFC 3339, or a Date. */
  until?: string | Date
  /** Text that the error of a failed run contains, in any case. */
  error?: string
  /** Webhooks: a header of the request as `name:value`, such as `x-github-event:push`. */
  header?: string
  /** A value of the run's input as `path=value`, such as `event.customer.id=42`. */
  param?: string
  /** Maximum number of runs, starting with the newest. Default: all runs. */
  limit?: number
}

/** Filters of the runs of all triggers. */
export type AllRunsFilter = RunFilter & { triggerId?: string }
/** A run in the list of the runs of all triggers, without its input, whole response and logs. */
export type ListedRun = ListedRunRecord

/** Filters of failed runs. */
export type FailedRunFilter = {
  triggerId?: string
  fingerprint?: string
  /** Earliest time of failure, inclusive: RFC 3339, or a Date. */
  since?: string | Date
  /** Latest time of failure, exclusive: RFC 3339, or a Date. */
  until?: string | Date
  /** Only runs that were replayed, or only runs that were not. */
  replayed?: boolean
  /** Maximum number of failed runs, starting with the latest failure. Default: all. */
  limit?: number
}
export type ErrorGroupFilter = Omit<FailedRunFilter, 'fingerprint' | 'replayed'>
export type { ErrorGroup, FailedRun, ReplayPreview }

/**
 * Selection and settings of a bulk replay: `run_ids`, or one or more of `fingerprint`, `trigger_id`, `since` and `until`.
 */
export type BulkReplayFields = z.input<typeof bulkReplayRequest>
/** Progress of a bulk replay. */
export type Replay = ReplayRecord
