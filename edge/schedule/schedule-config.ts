import { SECOND_MS } from '../../shared/durations.ts'
import { parseRfc3339 } from '../../shared/wire/rfc3339.ts'
import { canonicalZone } from './zone-names.ts'

/** `config` of a schedule. Times are in RFC 3339 with an offset. */
export type CronConfig = {
  cron: string
  /** IANA name. The default is UTC. */
  timezone?: string
  /** Inclusive. */
  starts_at?: string
  /** Inclusive. */
  ends_at?: string
  /** Maximum delay of a tick in seconds. */
  jitter_s?: number
}
export type OneOffConfig = { at: string }
export type ScheduleConfig = CronConfig | OneOffConfig

/** @param config a config that `checkSchedule` accepts */
export const scheduleConfig = (config: Record<string, unknown>) => config as ScheduleConfig

/** Returns Unix milliseconds of the second in which a time is, because ticks are whole seconds. */
export function wholeSecond(text: string): number {
  return Math.floor(parseRfc3339(text)! / SECOND_MS) * SECOND_MS
}

/** Replaces the name of the time zone by its current name. Returns other configs unchanged. */
export function withCanonicalZone(config: Record<string, unknown>): Record<string, unknown> {
  const { timezone } = config
  if (typeof timezone !== 'string') return config
  return { ...config, timezone: canonicalZone(timezone) ?? timezone }
}
