import { DAY_MS } from '../../shared/durations.ts'
import { midnightCron, parseCron } from './cron-dialect.ts'

/** The Gregorian calendar repeats every 400 years, which is a whole number of weeks. */
const CYCLE_MONTHS = 400 * 12
const CYCLE_DAYS = 146_097

/**
 * Yields the days on which a cron expression fires, as days since 1970-01-01. Covers one 400-year cycle of the
 * calendar, starting in 2000, and the first such day of the next cycle. Yields nothing if the expression never fires.
 * @throws {TypeError | RangeError} if the cron is invalid
 */
export function* daysOfCycle(cron: string): Generator<number, void> {
  const midnights = parseCron(midnightCron(cron))
  const known = new Map<string, number[]>()
  let firstDay: number | undefined
  for (let month = 0; month < CYCLE_MONTHS; month++) {
    const first = Date.UTC(2000, month) / DAY_MS
    const length = Date.UTC(2000, month + 1) / DAY_MS - first
    // The days on which a cron fires in a month depend only on the month, its length and its first weekday.
    const key = `${month % 12} ${length} ${first % 7}`
    let days = known.get(key)
    if (!days) {
      const all = Array.from({ length }, (_, day) => day)
      days = all.filter((day) => midnights.match(new Date((first + day) * DAY_MS)))
      known.set(key, days)
    }
    firstDay ??= days[0] === undefined ? undefined : first + days[0]
    for (const day of days) yield first + day
  }
  if (firstDay !== undefined) yield firstDay + CYCLE_DAYS
}
