import type { Env } from '../env.ts'
import type { TickReport } from './scanner-index.ts'

/**
 * Number of `Scheduler` objects that collect reports. One object handles about 1,000 calls a second, and many schedules
 * have a tick in the same second.
 */
const COLLECTORS = 8

const collectorName = (n: number) => `ticks-${n}`

/** The first character of a trigger ID is random. */
export const collectorOf = (triggerId: string) =>
  collectorName(triggerId.charCodeAt(0) % COLLECTORS)

/**
 * Tells the scanner that a tick has fired, so that the scanner does not visit the schedule. A lost report costs only a
 * visit.
 */
export async function reportTick(env: Env, report: TickReport): Promise<void> {
  await env.SCHEDULER.getByName(collectorOf(report.id)).reportTick(report)
}

/** Takes the reports from the collectors. Ignores collectors that do not respond. */
export async function takeTickReports(env: Env): Promise<TickReport[]> {
  const collected = await Promise.allSettled(
    Array.from({ length: COLLECTORS }, (_, n) =>
      env.SCHEDULER.getByName(collectorName(n)).takeTickReports(),
    ),
  )
  return collected.flatMap((taken) => (taken.status === 'fulfilled' ? taken.value : []))
}
