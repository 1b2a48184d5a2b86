import type { UsageRow } from '../../../../shared/client/core/billing.ts'
import { DAY_MS } from '../../../../shared/durations.ts'

type DailyCharges = {
  /** Start of each UTC day in Unix milliseconds, in ascending order without gaps. */
  times: number[]
  /** Charges on each day, in cents. */
  runs: number[]
  writes: number[]
}

/**
 * @param from first UTC day, as YYYY-MM-DD
 * @param to last UTC day (inclusive), as YYYY-MM-DD
 * @returns one entry per day; 0 for days without charges
 */
export function dailyCharges(rows: readonly UsageRow[], from: string, to: string): DailyCharges {
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

const formatUtcDay = (at: number) => new Date(at).toISOString().slice(0, 10)

export function lastDays(days: number, now: number): { from: string; to: string } {
  return { from: formatUtcDay(now - (days - 1) * DAY_MS), to: formatUtcDay(now) }
}
