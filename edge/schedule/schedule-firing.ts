import type { ScheduleFiring } from '../queue/firing.ts'
import type { ScheduleConfig } from './schedule-config.ts'
import { timeZone } from './time-zone.ts'

/** @param tick nominal time, in Unix milliseconds */
export function scheduleFiring(tick: number, config: ScheduleConfig): ScheduleFiring {
  if ('at' in config) return { source: 'schedule', scheduledAt: tick, at: config.at }
  const { cron, timezone } = config
  const firing = { source: 'schedule', scheduledAt: tick, cron } as const
  if (timezone === undefined) return firing
  return { ...firing, timezone, local: timeZone(timezone).localTime(tick) }
}
