/** Aggregates the rows of a statement by day, for the chart. */
import type { UsageRow } from '../../../../shared/client/core/billing.ts'

const DAY_MS = 24 * 60 * 60 * 1000

export type UsageDays = {
  /** Start of each UTC day in Unix milliseconds, ascending and without gaps. */
  times: number[]
  /** Cents per day. */
  runs: number[]
  writes: number[]
}

/**
 * @param from first UTC day, as YYYY-MM-DD
 * @param to last UTC day, inclusive
 * @returns one entry per day; days without a row are 0
 */
export function usageDays(rows: readonly UsageRow[], from: string, to: string): UsageDays {
  const [first, last] = [Date.parse(from), Date.parse(to)]
  const count = Math.max(1, Math.round((last - first) / DAY_MS) + 1)
  const times = Array.from({ length: count }, (_, i) => first + i * DAY_MS)
  const runs = times.map(() => 0)
  const writes = times.map(() => 0)
  for (const { day, kind, cents } of rows) {
    const at = Math.round((Date.parse(day) - first) / DAY_MS)
    const of = kind === 'execution' ? runs : writes
    if (of[at] !== undefined) of[at] += cents
  }
  return { times, runs, writes }
}

/** Returns the UTC day of a time in Unix milliseconds. */
export const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Returns a period of `days` days that includes today as its last day. */
export function lastDays(days: number, now: number): { from: string; to: string } {
  return { from: dayOf(now - (days - 1) * DAY_MS), to: dayOf(now) }
}
