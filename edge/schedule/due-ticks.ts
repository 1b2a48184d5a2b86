import { MISSED_TICK_MAX_AGE_MS, MISSED_TICKS_MAX, TICK_GRACE_MS } from '../../shared/limits.ts'
import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import { countTicks } from './count-ticks.ts'
import { lastTicks, nextTick } from './cron.ts'

/** What becomes of the ticks that are due; all times are nominal, in Unix milliseconds. */
export type DueTicks = {
  /** They get a run each, oldest first. */
  fire: number[]
  /** They get none: how many, and the latest of them. */
  missed?: { count: number; latest: number }
  /** The first that is not due yet; `undefined` where the cron names none any more. */
  next: number | undefined
}

/**
 * What a schedule owes (`decisions.md`, Ticks). One tick is due when all goes well, and fires however late the alarm
 * was. A tick is missed when a later one is due as well, or when the service came back over a minute after it; then
 * the trigger's `options.misfire` says what to do.
 * @param first the earliest tick that was not fired yet, due at `now`
 */
export function dueTicks(
  cron: string,
  first: number,
  now: number,
  misfire: NonNullable<TriggerOptions['misfire']> = 'coalesce',
): DueTicks {
  const following = nextTick(cron, first)
  const several = following !== undefined && following <= now
  const latest = several ? lastTicks(cron, now + 1, 1)[0]! : first
  const next = several ? nextTick(cron, latest) : following
  if (!several && now - latest <= TICK_GRACE_MS) return { fire: [latest], next }

  const fire = {
    all: () => lastTicks(cron, now + 1, MISSED_TICKS_MAX).filter((tick) => tick >= first),
    coalesce: () => [latest].filter((tick) => now - tick < MISSED_TICK_MAX_AGE_MS),
    skip: () => [latest].filter((tick) => now - tick <= TICK_GRACE_MS),
  }[misfire]()
  const firstFired = fire[0]
  const lastMissed = firstFired === undefined ? latest : lastTicks(cron, firstFired, 1)[0]
  const count = lastMissed === undefined ? 0 : countTicks(cron, first, lastMissed)
  return { fire, ...(count > 0 ? { missed: { count, latest: lastMissed! } } : {}), next }
}
