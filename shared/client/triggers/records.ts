/** Bodies and records of the trigger service under their names on the wire; times are RFC 3339 in UTC. */
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

/** `options` and what has a default may be left out. */
export type TriggerFields = z.input<typeof createTriggerRequest>
/** What is absent stays as it is; `kind` is fixed. */
export type TriggerChanges = Omit<z.input<typeof patchTriggerRequest>, 'kind'>
export type PreviewFields = z.input<typeof previewRequest>

export type Trigger = z.infer<typeof triggerRecord>
/** With `warnings` about its usage key and its event's signature. */
export type StoredTrigger = z.infer<typeof storedTrigger>
/** Without `action_code`; `default_params` is null where it is large. */
export type ListedTrigger = z.infer<typeof listedTrigger>
export type TriggerPreview = z.infer<typeof triggerPreview>

/** A run. In lists the largest inputs may be left out (`input_omitted`); `run(id)` has the whole one. */
export type Run = z.infer<typeof runRecord>
export type RunStatus = Run['status']
export type RunsPage = z.infer<typeof runsAnswer>
/** A run that is on disk: `run_id`. */
export type QueuedRun = z.infer<typeof queuedAnswer>
/** The same; `duplicate` where the trigger knew the delivery's id, and the run is the first one's. */
export type FiredRun = QueuedRun & { duplicate?: true }
/** One of the two: what the event would add to `default_params`, or for webhooks the event. */
export type TestFields = Pick<z.input<typeof testRequest>, 'params'> | { event: unknown }
export type ReplayFields = z.input<typeof replayRequest>
export type Purged = z.infer<typeof purgeAnswer>
/** A chain that triggers can watch: how far it was looked through, and how its nodes are. */
export type Chain = ChainRecord
/** Whose token it is, and when it ends. */
export type Me = z.infer<typeof meAnswer>

export type TriggerFilter = { kind?: Trigger['kind']; enabled?: boolean }
export type RunFilter = {
  status?: RunStatus
  /** Queued at this time or later: RFC 3339, or a Date. */
  since?: string | Date
  /** Queued before this time. */
  until?: string | Date
  /** At most so many, the newest; all by default. */
  limit?: number
}
