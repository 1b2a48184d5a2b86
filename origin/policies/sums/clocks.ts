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

/** The database's clock is between the two. */
export type ClockBounds = { from: number; to: number }

/** The database's clock, and the times between which it was read, by a clock of this process that is never set. */
export type ClockReading = { clock: number; startedAt: number; endedAt: number }

/** The clock of a database that is right for seconds may be set by this much, and a statement may take as long. */
const ASSUMED_SLACK_MS = 500

/** @throws {SumsUnavailableError} if the clocks differ too much */
export function clocksOf(process: number, { from, to }: ClockBounds): Clocks {
  const aheadMs = Math.max(process - to, from - process)
  if (!(aheadMs <= CLOCK_DIFFERENCE_MAX_MS))
    throw new SumsUnavailableError(
      `the clocks of this machine and of the database differ by ${Math.round(aheadMs / 1_000)} s; correct them`,
    )
  return {
    earlier: Math.max(0, Math.floor(Math.min(process, from))),
    recordedAt: Math.ceil(Math.max(process, to)) + RECORD_AHEAD_MS,
  }
}

/** Bounds of the database's clock at the end of a reading. */
export function boundsOf({ clock, startedAt, endedAt }: ClockReading): ClockBounds {
  return { from: clock, to: clock + endedAt - startedAt }
}

/** Bounds that the database's clock probably keeps while a statement is executed. */
export function assumedBounds(
  { clock, startedAt, endedAt }: ClockReading,
  monotonic: number,
): ClockBounds {
  return {
    from: clock + monotonic - endedAt - ASSUMED_SLACK_MS,
    to: clock + monotonic - startedAt + ASSUMED_SLACK_MS,
  }
}
