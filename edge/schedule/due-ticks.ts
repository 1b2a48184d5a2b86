import { MISSED_TICK_MAX_AGE_MS, MISSED_TICKS_MAX, TICK_GRACE_MS } from '../../shared/limits.ts'
import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import { lastTicks, nextTick } from './cron.ts'
import { DAY_MS } from '../../shared/durations.ts'
import { timesOfDay } from './cron-values.ts'
import { midnightCron } from './cron-dialect.ts'

/** All times are nominal times, in Unix milliseconds. */
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
 * which missed ticks still fire.
 * @param first earliest tick that has not fired yet, which is due at `now`
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

/**
 * Counts the ticks between two times, both inclusive. Whole days are counted without enumerating their ticks, because
 * stepping through every tick of a year would take seconds.
 * @param from Unix milliseconds
 * @param to Unix milliseconds
 */
export function countTicks(cron: string, from: number, to: number): number {
  if (to < from) return 0
  const { seconds, minutes, hours } = timesOfDay(cron)
  const perDay = seconds.length * minutes.length * hours.length
  const times = hours.flatMap((hour) =>
    minutes.flatMap((minute) =>
      seconds.map((second) => ((hour * 60 + minute) * 60 + second) * 1000),
    ),
  )
  const days = midnightCron(cron)
  let count = 0
  let day = nextTick(days, startOfDay(from) - 1)
  while (day !== undefined && day <= to) {
    const midnight = day
    const isWhole = from <= midnight && midnight + DAY_MS <= to
    const named = (time: number) => from <= midnight + time && midnight + time <= to
    count += isWhole ? perDay : times.filter(named).length
    day = nextTick(days, midnight)
  }
  return count
}

function startOfDay(at: number): number {
  return Math.floor(at / DAY_MS) * DAY_MS
}
