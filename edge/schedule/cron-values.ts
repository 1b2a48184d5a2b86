import { hasDayStar, patternOf } from './dialect.ts'

/** Times of day of a cron: the values of each field, ascending. */
export type TimesOfDay = { seconds: number[]; minutes: number[]; hours: number[] }

/** @throws {TypeError | RangeError} for a text that is not a cron */
export function timesOfDay(cron: string): TimesOfDay {
  const { second, minute, hour } = patternOf(cron)
  return { seconds: valuesOf(second), minutes: valuesOf(minute), hours: valuesOf(hour) }
}

/** Days of a cron: the values of each field, ascending. */
export type DayValues = {
  /** Null if the field has an `L` or a `W`. */
  dates: number[] | null
  months: number[]
  /** Sunday is 0. Null if the field has an `L` or a `#`. */
  weekdays: number[] | null
  /** A day has to match both the date and the weekday. */
  matchesBoth: boolean
}

/** @throws {TypeError | RangeError} for a text that is not a cron */
export function dayValues(cron: string): DayValues {
  const pattern = patternOf(cron)
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

/** Croner's bit mask for a weekday without `#` or `L`. */
const EVERY_WEEK = 63

const valuesOf = (field: number[]) => field.flatMap((isNamed, value) => (isNamed ? [value] : []))
