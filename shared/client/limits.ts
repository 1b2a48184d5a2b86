/** Limits that only the client uses. */
import { MINUTE_MS } from '../durations.ts'
import { EXECUTION_WALL_MAX_MS } from '../limits.ts'

/** Bytes. Covers a run's logs, and its input and result with every character escaped. */
export const RESPONSE_MAX_BYTES = 32 * 1024 * 1024

// Delays of up to 0.25, 0.5, 1 and 2 s, which is long enough to outlast a process restart.
export const RETRY_TIMES = 4
export const RETRY_FIRST_MS = 250
export const RETRY_WAIT_MAX_MS = 30_000

/** Seconds. If `Retry-After` is longer, the client throws immediately, so that the caller can decide. */
export const RETRY_AFTER_MAX_S = 60

/** An earlier request under the same key takes no longer than the longest execution. */
export const IN_PROGRESS_MAX_MS = EXECUTION_WALL_MAX_MS

// A grant becomes visible within one block, which takes a few seconds.
export const POLL_FIRST_MS = 250
export const POLL_WAIT_MAX_MS = 5_000

/** A grant usually becomes visible within one block and one second. The margin is for slow chains. */
export const PERMITTED_TIMEOUT_MS = MINUTE_MS

/** Twice the longest settlement time: a coin transfer takes 1 to 5 minutes. */
export const CREDITED_TIMEOUT_MS = 10 * MINUTE_MS
