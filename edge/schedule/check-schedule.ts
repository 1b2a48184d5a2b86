import { SCHEDULE_INTERVAL_MIN_MS } from '../../shared/limits.ts'
import { cronProblem } from './cron.ts'
import { minimumInterval } from './minimum-interval.ts'
import { nominalTime } from './tick-run.ts'

type ScheduleProblem = { field: string; problem: string }

/** Validates the `config` of a schedule (docs/decisions/0069). Returns undefined if it is valid. */
export function checkSchedule(config: Record<string, unknown>): ScheduleProblem | undefined {
  const { cron, ...more } = config
  const [unknown] = Object.keys(more)
  if (unknown !== undefined)
    return {
      field: `config.${unknown.slice(0, 64)}`,
      problem: 'unknown field; a schedule has only "cron"',
    }
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
