import type { Env } from '../env.ts'
import { type Sleep, withTimeout } from '../sleep.ts'
import type { TickReport } from './scanner-index.ts'

/**
 * Number of `Scheduler` objects that collect reports. One object handles about 1,000 calls a second, and many schedules
 * have a tick in the same second.
 */
const COLLECTORS = 8

/** Short, because the scan waits for the slowest collector. */
const COLLECT_MS = 5_000

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
export async function takeTickReports(env: Env, sleep: Sleep): Promise<TickReport[]> {
  const collected = await Promise.all(
    Array.from({ length: COLLECTORS }, (_, n) => {
      const reports = env.SCHEDULER.getByName(collectorName(n)).takeTickReports()
      return withTimeout(reports, COLLECT_MS, sleep).catch(() => undefined)
    }),
  )
  return collected.flatMap((reports) => reports ?? [])
}
