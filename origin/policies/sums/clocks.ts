import { SumsUnavailableError } from './sums-unavailable.ts'

/**
 * Maximum difference between the clocks of this process and of the database. Amounts are recorded at the later clock,
 * so they count longer by this difference.
 */
export const CLOCK_DIFFERENCE_MAX_MS = 60_000

/** Maximum duration of a commit. After a slower one, the amounts count as spent, but nothing is signed. */
export const COMMIT_MAX_MS = 4_000

/**
 * Offset that is added to the time at which amounts are recorded. A signature may be created up to `COMMIT_MAX_MS`
 * after the clocks were read, and signing takes less than a second.
 */
export const RECORD_AHEAD_MS = COMMIT_MAX_MS + 1_000

/** Times in Unix milliseconds. The true time is between the two if at least one of the clocks is right. */
export type Clocks = {
  earlier: number
  /** Time at which amounts are recorded. */
  recordedAt: number
}

/** Lower and upper bound of the database's clock, in Unix milliseconds. */
export type ClockBounds = { from: number; to: number }

/** The database's clock, and the interval in which it was read, by the monotonic clock of this process. */
export type ClockReading = { clock: number; startedAt: number; endedAt: number }

/** Allows for an adjustment of the database's clock since it was last read, and for the duration of the statement. */
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

/** Bounds within which the database's clock probably is when the next statement is executed. */
export function assumedBounds(
  { clock, startedAt, endedAt }: ClockReading,
  monotonic: number,
): ClockBounds {
  return {
    from: clock + monotonic - endedAt - ASSUMED_SLACK_MS,
    to: clock + monotonic - startedAt + ASSUMED_SLACK_MS,
  }
}
