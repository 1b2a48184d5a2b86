/** Limits that only the client uses, each with its reason. */
import { EXECUTION_WALL_MAX_MS } from '../limits.ts'

/**
 * Maximum size of a response body, in bytes. It covers a run's logs, and its input and result with every character
 * escaped.
 */
export const ANSWER_MAX_BYTES = 32 * 1024 * 1024

// Default retry policy: four retries, after delays of up to 0.25, 0.5, 1 and 2 s. That is long enough to outlast a
// process restart.
export const RETRY_TIMES = 4
export const RETRY_FIRST_MS = 250
export const RETRY_WAIT_MAX_MS = 30_000

/**
 * Maximum `Retry-After`, in seconds, that the client waits for. If it is longer, the client throws the error
 * immediately, so that the caller can decide.
 */
export const RETRY_AFTER_MAX_S = 60

/**
 * Maximum time to wait for an earlier request in progress under the same key. Such a request takes no longer than the
 * longest execution.
 */
export const IN_PROGRESS_MAX_MS = EXECUTION_WALL_MAX_MS

// Delays between attempts of a call that is not permitted yet. A grant becomes visible within one block, which takes a
// few seconds.
export const POLL_FIRST_MS = 250
export const POLL_WAIT_MAX_MS = 5_000

/**
 * Maximum time to wait until a call is permitted. A grant usually becomes visible within one block and one second. The
 * margin is for slow chains.
 */
export const PERMITTED_WITHIN_MS = 60_000

/**
 * Maximum time to wait for a payment to be credited. A coin transfer settles in 1 to 5 minutes. The limit is twice the
 * longest of these times.
 */
export const CREDITED_WITHIN_MS = 10 * 60 * 1000
