import { SumsUnavailableError } from './sums-unavailable.ts'

/**
 * Maximum difference between the clocks of this process and of the database. As an amount is recorded at the later
 * clock, a larger difference would block sums for as long.
 */
export const CLOCK_DIFFERENCE_MAX_MS = 60_000

/** Time in which a transaction has to be committed. Its amounts then count as spent, but nothing is signed. */
export const COMMIT_MAX_MS = 4_000

/**
 * Amounts are recorded later than they are reserved by this time: a signature may be created up to `COMMIT_MAX_MS` after
 * the clocks were read, and signing takes less than a second.
 */
export const RECORD_AHEAD_MS = COMMIT_MAX_MS + 1_000

/** Times in Unix milliseconds. True time is between the two, as long as one clock is right. */
export type Clocks = {
  earlier: number
  /** Time at which amounts are recorded. */
  recordedAt: number
}

/**
 * @param database the database's clock, read during the last `elapsedMs`
 * @throws {SumsUnavailableError} if the clocks differ too much
 */
export function clocksOf(process: number, database: number, elapsedMs: number): Clocks {
  const aheadMs = Math.max(process - database - elapsedMs, database - process)
  if (!(aheadMs <= CLOCK_DIFFERENCE_MAX_MS))
    throw new SumsUnavailableError(
      `the clocks of this machine and of the database differ by ${Math.round(aheadMs / 1_000)} s; correct them`,
    )
  return {
    earlier: Math.max(0, Math.floor(Math.min(process, database))),
    recordedAt: Math.ceil(Math.max(process, database + elapsedMs)) + RECORD_AHEAD_MS,
  }
}
