import { MINUTE_MS } from '../durations.ts'
import { EXECUTION_WALL_MAX_MS } from '../limits.ts'

/**
 * Maximum size of a response in bytes. It covers a run's logs, and its input and result with every character escaped.
 */
export const RESPONSE_MAX_BYTES = 32 * 1024 * 1024

// Retries have delays of up to 0.25, 0.5, 1 and 2 s, which together are long enough to outlast a process restart.
export const RETRY_TIMES = 4
export const RETRY_FIRST_MS = 250
export const RETRY_WAIT_MAX_MS = 30_000

/**
 * Maximum `Retry-After` in seconds. If the header exceeds it, the client throws immediately, so that the caller can
 * decide.
 */
export const RETRY_AFTER_MAX_S = 60

/** Maximum wait for an earlier request under the same key, which takes no longer than the longest execution. */
export const IN_PROGRESS_MAX_MS = EXECUTION_WALL_MAX_MS

// Polling delays for a grant, which becomes visible within one block (a few seconds).
export const POLL_FIRST_MS = 250
export const POLL_WAIT_MAX_MS = 5_000

/**
 * Timeout for a grant to become visible, which usually takes one block and one second. The margin is for slow chains.
 */
export const PERMITTED_TIMEOUT_MS = MINUTE_MS

/**
 * Timeout for a payment to be credited: twice the longest settlement time, because a coin transfer takes 1 to 5
 * minutes.
 */
export const CREDITED_TIMEOUT_MS = 10 * MINUTE_MS
