import { SCHEDULE_INTERVAL_MIN_MS } from '../../shared/limits.ts'
import { timesOfDay, wrongInCron } from './cron.ts'
import { minimumInterval } from './minimum-interval.ts'

/** A field of a trigger, and what is wrong with it. */
export type ScheduleProblem = { field: string; problem: string }

/** What is wrong with the `config` of a schedule (specification, config by kind; `decisions.md`, Cron). */
export function checkSchedule(config: Record<string, unknown>): ScheduleProblem | undefined {
  const { cron, ...more } = config
  const [unknown] = Object.keys(more)
  if (unknown !== undefined)
    return {
      field: `config.${unknown.slice(0, 64)}`,
      problem: 'a schedule has "cron" and nothing else',
    }
  const wrong = (problem: string) => ({ field: 'config.cron', problem })
  if (cron === undefined) return wrong('it is missing')
  if (typeof cron !== 'string') return wrong('expected a string')
  const problem = wrongInCron(cron)
  if (problem !== undefined) return wrong(problem)
  const apartS = minimumInterval(timesOfDay(cron))
  const leastS = SCHEDULE_INTERVAL_MIN_MS / 1000
  if (apartS < leastS)
    return wrong(`its ticks may be ${apartS} s apart, and at least ${leastS} s are required`)
}
