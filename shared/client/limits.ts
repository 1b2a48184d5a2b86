/** Limits that only the client uses, each with its reason. */
import { EXECUTION_WALL_MAX_MS } from '../limits.ts'

/** Limit on a response body: a run's input and result with every character escaped, and its logs. */
export const ANSWER_MAX_BYTES = 32 * 1024 * 1024

// Four retries after up to 0.25, 0.5, 1 and 2 s, enough to outlast a process restart.
export const RETRY_TIMES = 4
export const RETRY_FIRST_MS = 250
export const RETRY_WAIT_MAX_MS = 30_000

/** A longer `Retry-After` is not waited for. The error is thrown, so that the caller can decide. */
export const RETRY_AFTER_MAX_S = 60

/** A request in progress finishes within the longest execution. */
export const IN_PROGRESS_MAX_MS = EXECUTION_WALL_MAX_MS

// Polling of a call that is not permitted yet: a grant becomes visible within one block, a few seconds.
export const POLL_FIRST_MS = 250
export const POLL_WAIT_MAX_MS = 5_000

/** A grant becomes visible within a block and a second. The margin is for slow chains. */
export const PERMITTED_WITHIN_MS = 60_000

/** Twice the slowest normal case: a coin transfer settles in 1 to 5 minutes. */
export const CREDITED_WITHIN_MS = 10 * 60 * 1000
