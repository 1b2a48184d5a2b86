import type { Command } from 'commander'
import { UsageError } from '../../terminal.ts'
import { integerOf } from '../option-values.ts'

export type GivenSchedule = {
  cron?: string
  timezone?: string
  startsAt?: string
  endsAt?: string
  jitter?: string
  at?: string
}

export function withScheduleOptions(command: Command): Command {
  return command
    .option(
      '--cron <expression>',
      'fire on a schedule: 5 fields, or 6 with seconds first; in UTC, or in the time zone of --timezone',
    )
    .option('--timezone <name>', 'schedules: IANA name of a time zone, such as Europe/Berlin')
    .option('--starts-at <time>', 'schedules: no tick before this time (RFC 3339)')
    .option('--ends-at <time>', 'schedules: no tick after this time (RFC 3339)')
    .option('--jitter <seconds>', 'schedules: delay each tick by up to this many seconds')
    .option('--at <time>', 'fire once, at this time (RFC 3339)')
}

/** @returns the config of a schedule, or undefined if neither --cron nor --at is given */
export function scheduleConfigOf(given: GivenSchedule): Record<string, unknown> | undefined {
  const { cron, at, timezone, startsAt, endsAt, jitter } = given
  const isDetailed = [timezone, startsAt, endsAt, jitter].some((value) => value !== undefined)
  if (cron === undefined && isDetailed)
    throw new UsageError('--timezone, --starts-at, --ends-at and --jitter need --cron')
  if (at !== undefined) return { at }
  if (cron === undefined) return undefined
  return {
    cron,
    ...(timezone !== undefined && { timezone }),
    ...(startsAt !== undefined && { starts_at: startsAt }),
    ...(endsAt !== undefined && { ends_at: endsAt }),
    ...(jitter !== undefined && { jitter_s: integerOf('--jitter', jitter) }),
  }
}
