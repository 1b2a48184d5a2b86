import { SCHEDULE_INTERVAL_MIN_MS } from '../../shared/limits.ts'
import { parseRfc3339 } from '../../shared/wire/rfc3339.ts'
import { cronProblem } from './cron.ts'
import { minimumInterval } from './minimum-interval.ts'
import { nominalTicks } from './schedule.ts'
import { type CronConfig, withCanonicalZone } from './schedule-config.ts'
import { nominalTime } from './tick-run.ts'
import { canonicalZone, similarZone } from './zone-names.ts'

/** `fix` is absent for problems of the cron expression, whose fix is always the same. */
type ScheduleProblem = { field: string; problem: string; fix?: string }

const CRON_FIELDS = ['cron', 'timezone', 'starts_at', 'ends_at', 'jitter_s']

/** Validates the `config` of a schedule (docs/decisions/0069 and 0130). Returns undefined if it is valid. */
export function checkSchedule(config: Record<string, unknown>): ScheduleProblem | undefined {
  if (config.at !== undefined) return checkOneOff(config)
  const unknown = Object.keys(config).find((name) => !CRON_FIELDS.includes(name))
  if (unknown !== undefined)
    return {
      field: `config.${unknown.slice(0, 64)}`,
      problem: 'unknown field',
      fix: `A schedule has ${CRON_FIELDS.join(', ')}; or only "at", for a single run.`,
    }
  return (
    checkCron(config.cron) ??
    checkZone(config.timezone) ??
    checkBounds(config) ??
    checkJitter(config)
  )
}

function checkOneOff(config: Record<string, unknown>): ScheduleProblem | undefined {
  const other = Object.keys(config).find((name) => name !== 'at')
  if (other !== undefined)
    return {
      field: `config.${other.slice(0, 64)}`,
      problem: 'not allowed together with "at"',
      fix: 'Send only {"at": ...} for a single run, or {"cron": ...} for a schedule.',
    }
  return checkTime('at', config.at)
}

function checkCron(cron: unknown): ScheduleProblem | undefined {
  const wrong = (problem: string) => ({ field: 'config.cron', problem })
  if (cron === undefined) return wrong('required')
  if (typeof cron !== 'string') return wrong('expected a string')
  const problem = cronProblem(cron)
  if (problem !== undefined) return wrong(problem)
  const { seconds, first, second } = minimumInterval(cron)
  const leastS = SCHEDULE_INTERVAL_MIN_MS / 1000
  if (seconds < leastS)
    return wrong(
      `its ticks at ${nominalTime(first * 1000)} and ${nominalTime(second * 1000)} are ${seconds} s apart; the minimum is ${leastS} s`,
    )
}

function checkZone(name: unknown): ScheduleProblem | undefined {
  if (name === undefined) return undefined
  const wrong = (problem: string, fix: string) => ({ field: 'config.timezone', problem, fix })
  const fix = 'Send the IANA name of a time zone, such as Europe/Berlin.'
  if (typeof name !== 'string') return wrong('expected a string', fix)
  if (canonicalZone(name) !== undefined) return undefined
  const similar = similarZone(name)
  return wrong(
    `${JSON.stringify(name.slice(0, 64))} is not a time zone`,
    similar === undefined ? fix : `Did you mean ${similar}?`,
  )
}

function checkTime(name: string, value: unknown): ScheduleProblem | undefined {
  if (typeof value === 'string' && parseRfc3339(value) !== undefined) return undefined
  return {
    field: `config.${name}`,
    problem: 'expected an RFC 3339 time with an offset',
    fix: 'Send a time such as 2026-05-22T09:00:00+02:00 or 2026-05-22T07:00:00Z.',
  }
}

/** @param config a config with a valid cron expression and time zone */
function checkBounds(config: Record<string, unknown>): ScheduleProblem | undefined {
  const { starts_at, ends_at } = config
  const wrong =
    (starts_at === undefined ? undefined : checkTime('starts_at', starts_at)) ??
    (ends_at === undefined ? undefined : checkTime('ends_at', ends_at))
  if (wrong || ends_at === undefined) return wrong
  const { starts_at: start, ends_at: end } = config as CronConfig
  const from = start === undefined ? 0 : Date.parse(start)
  if (Date.parse(end!) < from)
    return {
      field: 'config.ends_at',
      problem: 'before config.starts_at',
      fix: 'Send a time after config.starts_at.',
    }
  const canonical = withCanonicalZone(config) as CronConfig
  if (nominalTicks(canonical).next(from - 1) === undefined)
    return {
      field: 'config.ends_at',
      problem: 'the schedule has no tick before this time',
      fix: 'Send a later time.',
    }
}

/** @param config a config with a valid cron expression */
function checkJitter({
  cron,
  jitter_s: jitter,
}: Record<string, unknown>): ScheduleProblem | undefined {
  if (jitter === undefined) return undefined
  const { seconds } = minimumInterval(String(cron))
  if (Number.isInteger(jitter) && Number(jitter) >= 0 && Number(jitter) < seconds) return undefined
  return {
    field: 'config.jitter_s',
    problem: `expected a whole number of seconds, less than the shortest interval of the schedule (${seconds} s)`,
    fix: `Send a number from 0 to ${seconds - 1}.`,
  }
}
