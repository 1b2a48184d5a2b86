/** The numbers of the client alone, each with its reason. */
import { EXECUTION_WALL_MAX_MS } from '../limits.ts'

/** No more is read of an answer: a run's input and result, of which every character is escaped, and its logs. */
export const ANSWER_MAX_BYTES = 32 * 1024 * 1024

/** Retries: four waits of up to 0.25, 0.5, 1 and 2 s outlast the restart of a process. */
export const RETRY_TIMES = 4
export const RETRY_FIRST_MS = 250
export const RETRY_WAIT_MAX_MS = 30_000

/** A longer `Retry-After` is not waited for: the caller is told, and knows better what to do meanwhile. */
export const RETRY_AFTER_MAX_S = 60

/** An answer that somebody waits for already comes within the longest execution. */
export const IN_PROGRESS_MAX_MS = EXECUTION_WALL_MAX_MS

/** Polls of a call that is too early: a grant is seen within a block, of some seconds. */
export const POLL_FIRST_MS = 250
export const POLL_WAIT_MAX_MS = 5_000

/** A grant that is sent to the contract is seen within a block and a second; chains are late at times. */
export const PERMITTED_WITHIN_MS = 60_000

/** A transfer of coins settles in 1 to 5 minutes (specification, Payment flow 4); twice that. */
export const CREDITED_WITHIN_MS = 10 * 60 * 1000
