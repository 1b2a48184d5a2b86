import { MISSED_TICK_MAX_AGE_MS, MISSED_TICKS_MAX, TICK_GRACE_MS } from '../../shared/limits.ts'
import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import type { TickSource } from './tick-source.ts'

/** All times are in Unix milliseconds. */
type DueTicks = {
  /** Oldest first. */
  fire: number[]
  /** Missed ticks that do not fire. Absent if all due ticks fire. */
  missed?: { count: number; latest: number }
  next: number | undefined
}

/**
 * Decides which due ticks fire (`docs/decisions/0021`). Normally, one tick is due, and fires if it is at most a minute
 * late. A tick counts as missed if it is more than a minute late, or if a later tick is due as well. `misfire` decides
 * which missed ticks still fire. A missed one-off run fires however late it is, unless `misfire` is `skip`.
 * @param first earliest tick that has not fired yet, which is due at `now`
 */
export function dueTicks(
  ticks: TickSource,
  first: number,
  now: number,
  misfire: NonNullable<TriggerOptions['misfire']> = 'coalesce',
): DueTicks {
  const following = ticks.next(first)
  const several = following !== undefined && following <= now
  const latest = several ? ticks.last(now + 1, 1)[0]! : first
  const next = several ? ticks.next(latest) : following
  if (!several && now - latest <= TICK_GRACE_MS) return { fire: [latest], next }

  const fire = {
    all: () => ticks.last(now + 1, MISSED_TICKS_MAX).filter((tick) => tick >= first),
    coalesce: () =>
      [latest].filter((tick) => ticks.isOneOff || now - tick < MISSED_TICK_MAX_AGE_MS),
    skip: () => [latest].filter((tick) => now - tick <= TICK_GRACE_MS),
  }[misfire]()
  const firstFired = fire[0]
  const lastMissed = firstFired === undefined ? latest : ticks.last(firstFired, 1)[0]
  const count = lastMissed === undefined ? 0 : ticks.count(first, lastMissed)
  return { fire, ...(count > 0 ? { missed: { count, latest: lastMissed! } } : {}), next }
}
