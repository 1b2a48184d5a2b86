import type { PreviewedTick, TriggerPreview } from '../../../shared/wire/preview.ts'
import { eventParams } from '../../queue/firing.ts'
import { minimumInterval } from '../../schedule/minimum-interval.ts'
import { nominalTicks } from '../../schedule/schedule.ts'
import { scheduleConfig, withCanonicalZone } from '../../schedule/schedule-config.ts'
import { scheduleFiring } from '../../schedule/schedule-firing.ts'
import { nominalTime } from '../../schedule/tick-run.ts'
import type { TickSource } from '../../schedule/tick-source.ts'
import { timeZone } from '../../schedule/time-zone.ts'
import { ZonedTicks } from '../../schedule/zoned-ticks.ts'

const TICKS_SHOWN = 5

/** @param given the config of a schedule with at least one tick after `now` */
export function previewSchedule(
  given: Record<string, unknown>,
  defaultParams: Record<string, unknown>,
  now: number,
): TriggerPreview {
  const config = scheduleConfig(withCanonicalZone(given))
  const ticks = nextTicksOf(nominalTicks(config), now)
  const firing = scheduleFiring(ticks[0]!, config)
  return {
    next: ticks.map(nominalTime),
    ...('cron' in config ? { min_interval_s: minimumInterval(config.cron).seconds } : {}),
    ...('cron' in config && config.timezone !== undefined
      ? { ticks: localTicks(ticks, config.cron, config.timezone) }
      : {}),
    params: { ...defaultParams, ...eventParams(firing, new Uint8Array()) },
  }
}

function nextTicksOf(source: TickSource, now: number): number[] {
  const ticks: number[] = []
  for (let tick = source.next(now); tick !== undefined; tick = source.next(tick)) {
    ticks.push(tick)
    if (ticks.length === TICKS_SHOWN) break
  }
  return ticks
}

function localTicks(ticks: number[], cron: string, timezone: string): PreviewedTick[] {
  const zone = timeZone(timezone)
  const zoned = new ZonedTicks(cron, zone)
  return ticks.map((tick) => {
    const change = zoned.clockChange(tick)
    return {
      utc: nominalTime(tick),
      local: zone.localTime(tick),
      ...(change === undefined ? {} : { clock_change: change }),
    }
  })
}
