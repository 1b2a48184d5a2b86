/** Start and end of a wait, in Unix milliseconds. The start is needed to detect that the clock was set back. */
export type Deadline = { since: number; until: number }

/** Tolerance for routine clock corrections. */
export const CLOCK_TOLERANCE_MS = 1_000

const ALARM_OVERDUE_MS = 5_000

/**
 * Returns true if a wait is over. A wait that starts in the future also counts as over, because the clock was set back.
 * Otherwise, the wait would last until the clock has caught up. No wait lasts longer than twice its length, even if the
 * clock is changed.
 */
export function isPast({ since, until }: Deadline, now: number): boolean {
  return now >= until || now < since - CLOCK_TOLERANCE_MS
}

/**
 * Like `isPast`, for a wait with an unknown start. A wait that would still last longer than `maxMs` counts as over,
 * because the clock was set back.
 */
export function isEndPast(until: number, maxMs: number, now: number): boolean {
  return now >= until || until > now + maxMs
}

/**
 * Returns true if the alarm of a Durable Object is missing, overdue, or set too late. An alarm can be too late because
 * the clock was set back.
 */
export function isAlarmLost(
  at: number | null,
  now: number,
  latest: number,
  overdueMs = ALARM_OVERDUE_MS,
): boolean {
  return at === null || at < now - overdueMs || at > latest
}
