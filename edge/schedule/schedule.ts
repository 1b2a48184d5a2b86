import { JitteredTicks } from './jittered-ticks.ts'
import { type CronConfig, type ScheduleConfig, wholeSecond } from './schedule-config.ts'
import { boundedTicks, oneOffTick, type TickSource, utcTicks } from './tick-source.ts'
import { timeZone } from './time-zone.ts'
import { ZonedTicks } from './zoned-ticks.ts'

export type Schedule = {
  /** The times at which the ticks fire. */
  ticks: TickSource
  /** Returns the nominal time of a tick, which is earlier if the schedule has jitter. */
  nominal: (tick: number) => number
}

const isNominal = (tick: number) => tick

/** @param config a config that `checkSchedule` accepts */
export function scheduleOf(config: ScheduleConfig, triggerId: string): Schedule {
  const ticks = nominalTicks(config)
  if (!('cron' in config) || !config.jitter_s) return { ticks, nominal: isNominal }
  const delayed = new JitteredTicks(ticks, {
    triggerId,
    seconds: config.jitter_s,
    isZoned: isZoned(config),
    endsAt: config.ends_at === undefined ? undefined : wholeSecond(config.ends_at),
  })
  return { ticks: delayed, nominal: (tick) => delayed.nominal(tick) }
}

/**
 * Returns the ticks of a schedule without jitter.
 * @param config a config that `checkSchedule` accepts
 */
export function nominalTicks(config: ScheduleConfig): TickSource {
  if (!('cron' in config)) return oneOffTick(wholeSecond(config.at))
  const { cron, timezone, starts_at, ends_at } = config
  const ticks =
    timezone !== undefined && isZoned(config)
      ? new ZonedTicks(cron, timeZone(timezone))
      : utcTicks(cron)
  if (starts_at === undefined && ends_at === undefined) return ticks
  return boundedTicks(ticks, {
    from: starts_at === undefined ? undefined : Date.parse(starts_at),
    to: ends_at === undefined ? undefined : Date.parse(ends_at),
  })
}

const isZoned = ({ timezone }: CronConfig) => timezone !== undefined && timezone !== 'UTC'

/** Returns why a schedule has no tick after a time, or undefined if it has one. */
export function endedReason(config: ScheduleConfig, now: number): string | undefined {
  if (nominalTicks(config).next(now) !== undefined) return undefined
  return reasonWithoutTicks(config)
}

/** Returns why a schedule without further ticks has none. */
export function reasonWithoutTicks(config: ScheduleConfig): string {
  if ('at' in config)
    return 'The time in config.at has passed. To run the trigger again, set a later time.'
  return config.ends_at === undefined
    ? 'The cron expression has no further ticks.'
    : 'The schedule has no ticks left before config.ends_at. To continue it, set a later time or remove config.ends_at.'
}
