import { timesOfDay, type TimesOfDay } from './cron-values.ts'
import { daysOfCycle } from './days-of-cycle.ts'

const MINUTE_S = 60
const HOUR_S = 60 * MINUTE_S
const DAY_S = 24 * HOUR_S

type Pair = { first: number; second: number }

/** Smallest interval between two ticks of a cron expression in seconds, with two such ticks in Unix seconds. */
type MinimumInterval = Pair & { seconds: number }

/**
 * Finds the smallest interval between two ticks of a cron expression. Within a day, the interval follows from the
 * values of the fields. Across days, the last tick of a day is compared with the first tick of the next day that has
 * ticks, over a 400-year cycle of the calendar.
 * @param cron a cron expression that fires at least once
 */
export function minimumInterval(cron: string): MinimumInterval {
  const times = timesOfDay(cron)
  const days = closestDays(cron)
  const midnight = days.first * DAY_S
  const pairs = withinDay(times).map(({ first, second }) => ({
    first: midnight + first,
    second: midnight + second,
  }))
  pairs.push({
    first: days.first * DAY_S + timeOf(times, -1, -1, -1),
    second: days.second * DAY_S + timeOf(times, 0, 0, 0),
  })
  return pairs
    .map((pair) => ({ ...pair, seconds: pair.second - pair.first }))
    .reduce((least, pair) => (pair.seconds < least.seconds ? pair : least))
}

/**
 * Returns the closest pairs of ticks within a day, in seconds after midnight: at most one pair within a minute, one
 * across minutes, and one across hours. A pair across minutes is the last tick of a minute and the first tick of the
 * next minute with ticks.
 */
function withinDay(times: TimesOfDay): Pair[] {
  const { seconds, minutes, hours } = times
  const second = closestIndex(seconds)
  const minute = closestIndex(minutes)
  const hour = closestIndex(hours)
  const pairs: Pair[] = []
  if (second !== undefined)
    pairs.push({ first: timeOf(times, 0, 0, second), second: timeOf(times, 0, 0, second + 1) })
  if (minute !== undefined)
    pairs.push({ first: timeOf(times, 0, minute, -1), second: timeOf(times, 0, minute + 1, 0) })
  if (hour !== undefined)
    pairs.push({ first: timeOf(times, hour, -1, -1), second: timeOf(times, hour + 1, 0, 0) })
  return pairs
}

/** Returns the seconds after midnight for the given indexes of the field values. */
function timeOf(
  { hours, minutes, seconds }: TimesOfDay,
  hour: number,
  minute: number,
  second: number,
) {
  return hours.at(hour)! * HOUR_S + minutes.at(minute)! * MINUTE_S + seconds.at(second)!
}

/** Returns the index of the value with the smallest gap to its successor, or undefined if there is only one value. */
function closestIndex(values: number[]): number | undefined {
  let closest: number | undefined
  for (let at = 0; at + 1 < values.length; at++)
    if (closest === undefined || gap(values, at) < gap(values, closest)) closest = at
  return closest
}

const gap = (values: number[], at: number) => values[at + 1]! - values[at]!

/** Returns the two closest consecutive days on which a cron expression fires, as days since 1970-01-01. */
function closestDays(cron: string): Pair {
  let closest: Pair | undefined
  let first: number | undefined
  for (const second of daysOfCycle(cron)) {
    if (first !== undefined && (!closest || second - first < closest.second - closest.first))
      closest = { first, second }
    if (closest && closest.second - closest.first === 1) break
    first = second
  }
  if (!closest) throw new RangeError('the cron never fires')
  return closest
}
