const ALARM_OVERDUE_MS = 5_000

/**
 * Returns true if a wait with an unknown start is over. A wait that would still last longer than `maxMs` counts as over,
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
