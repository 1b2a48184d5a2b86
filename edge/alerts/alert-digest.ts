import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/durations.ts'
import { isEndPast } from '../deadline.ts'

type DigestLimit = { alerts: number; withinMs: number }

/** The first mail is sent at once. Incidents that open within the next ten minutes share one mail. */
export const MAIL_LIMITS: readonly DigestLimit[] = [
  { alerts: 1, withinMs: 10 * MINUTE_MS },
  { alerts: 3, withinMs: HOUR_MS },
  { alerts: 10, withinMs: DAY_MS },
]

/** Limits per channel. They are higher than those of mails, because programs read the events. */
export const CHANNEL_LIMITS: readonly DigestLimit[] = [
  { alerts: 1, withinMs: MINUTE_MS },
  { alerts: 20, withinMs: HOUR_MS },
  { alerts: 100, withinMs: DAY_MS },
]

/** Returns the number of previous alerts that the limits count. */
export const alertsCounted = (limits: readonly DigestLimit[]) => limits.at(-1)!.alerts

/**
 * Returns the time from which the next alert may be sent.
 * @param sentAt times of the last alerts, newest first
 */
export function allowedAt(
  limits: readonly DigestLimit[],
  sentAt: readonly number[],
  now: number,
): number {
  const ends = limits.map(({ alerts, withinMs }) => {
    const until = (sentAt[alerts - 1] ?? Number.NEGATIVE_INFINITY) + withinMs
    return isEndPast(until, withinMs, now) ? now : until
  })
  return Math.max(...ends)
}
