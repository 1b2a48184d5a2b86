/** Bodies and records of the trigger service, named as in the API. Times are RFC 3339 in UTC. */
import type { z } from 'zod'
import type { ChainRecord } from '../../wire/chains.ts'
import type { meAnswer } from '../../wire/me.ts'
import type { previewRequest, triggerPreview } from '../../wire/preview.ts'
import type {
  purgeAnswer,
  queuedAnswer,
  replayRequest,
  runsAnswer,
  testRequest,
} from '../../wire/run.ts'
import type {
  createTriggerRequest,
  listedTrigger,
  patchTriggerRequest,
  runRecord,
  storedTrigger,
  triggerRecord,
} from '../../wire/trigger.ts'

/** `options` and fields with a default are optional. */
export type TriggerFields = z.input<typeof createTriggerRequest>
/** Absent fields stay unchanged. `kind` cannot be changed. */
export type TriggerChanges = Omit<z.input<typeof patchTriggerRequest>, 'kind'>
export type PreviewFields = z.input<typeof previewRequest>

export type Trigger = z.infer<typeof triggerRecord>
/** Includes `warnings` about its usage key and its event signature. */
export type StoredTrigger = z.infer<typeof storedTrigger>
/** Without `action_code`. `default_params` is null if it is large. */
export type ListedTrigger = z.infer<typeof listedTrigger>
export type TriggerPreview = z.infer<typeof triggerPreview>

/** In lists, the largest inputs may be omitted (`input_omitted`). `run(id)` returns the complete run. */
export type Run = z.infer<typeof runRecord>
export type RunStatus = Run['status']
export type RunsPage = z.infer<typeof runsAnswer>
/** A run that is stored durably, with its `run_id`. */
export type QueuedRun = z.infer<typeof queuedAnswer>
/** `duplicate` is set if the delivery was deduplicated. The run is then that of the first delivery. */
export type FiredRun = QueuedRun & { duplicate?: true }
/** Either the params that the event would add to `default_params`, or for webhooks the event. */
export type TestFields = Pick<z.input<typeof testRequest>, 'params'> | { event: unknown }
export type ReplayFields = z.input<typeof replayRequest>
export type Purged = z.infer<typeof purgeAnswer>
/** A chain that triggers can watch, with its watermark and the health of its nodes. */
export type Chain = ChainRecord
/** The token's owner, and when the token expires. */
export type Me = z.infer<typeof meAnswer>

export type TriggerFilter = { kind?: Trigger['kind']; enabled?: boolean }
export type RunFilter = {
  status?: RunStatus
  /** Queued at this time or later: RFC 3339, or a Date. */
  since?: string | Date
  /** Queued before this time. */
  until?: string | Date
  /** Maximum number of runs, newest first. Default: all. */
  limit?: number
}
