import { Cron } from 'croner'

/** The dialect (`decisions.md`, Cron): five fields, or six with seconds in front, in UTC. */
const OPTIONS = { mode: '5-or-6-parts', timezone: 'UTC', paused: true } as const

/**
 * The first time after `after` that a cron names.
 * @param after Unix milliseconds, not included
 * @returns Unix milliseconds of a whole second; `undefined` where the cron names no time any more
 */
export function nextTick(cron: string, after: number): number | undefined {
  return new Cron(cron, OPTIONS).nextRun(new Date(after))?.getTime()
}
