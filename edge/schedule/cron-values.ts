import { hasDayStar, parsePattern } from './cron-dialect.ts'

/** Values of the time fields of a cron expression, each in ascending order. */
export type TimesOfDay = { seconds: number[]; minutes: number[]; hours: number[] }

/** @throws {TypeError | RangeError} if the cron is invalid */
export function timesOfDay(cron: string): TimesOfDay {
  const { second, minute, hour } = parsePattern(cron)
  return { seconds: valuesOf(second), minutes: valuesOf(minute), hours: valuesOf(hour) }
}

export type DayValues = {
  /** Days of the month. Null if the field contains an `L` or a `W`. */
  dates: number[] | null
  months: number[]
  /** Days of the week, with Sunday as 0. Null if the field contains an `L` or a `#`. */
  weekdays: number[] | null
  /** True if a day must match both the date and the weekday. If false, matching one of the two is enough. */
  matchesBoth: boolean
}

/** @throws {TypeError | RangeError} if the cron is invalid */
export function dayValues(cron: string): DayValues {
  const pattern = parsePattern(cron)
  const { day, month, dayOfWeek, lastDayOfMonth, lastWeekday, nearestWeekdays } = pattern
  const hasSpecialDate = lastDayOfMonth || lastWeekday || nearestWeekdays.some(Boolean)
  const hasSpecialWeekday = dayOfWeek.some((weeks) => weeks !== 0 && weeks !== EVERY_WEEK)
  return {
    dates: hasSpecialDate ? null : valuesOf(day).map((index) => index + 1),
    months: valuesOf(month).map((index) => index + 1),
    weekdays: hasSpecialWeekday ? null : valuesOf(dayOfWeek),
    matchesBoth: pattern.useAndLogic || hasDayStar(cron),
  }
}

/** Value that croner stores for a weekday without `#` or `L`. */
const EVERY_WEEK = 63

const valuesOf = (field: number[]) => field.flatMap((isNamed, value) => (isNamed ? [value] : []))
