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
