import { hasDayStar, patternOf } from './dialect.ts'

/** Times of day at which a cron fires, as the ascending values of its fields. */
export type TimesOfDay = { seconds: number[]; minutes: number[]; hours: number[] }

/** @throws {TypeError | RangeError} if the text is not a valid cron expression */
export function timesOfDay(cron: string): TimesOfDay {
  const { second, minute, hour } = patternOf(cron)
  return { seconds: valuesOf(second), minutes: valuesOf(minute), hours: valuesOf(hour) }
}

/** Days on which a cron fires, as the ascending values of its fields. */
export type DayValues = {
  /** Days of the month. Null if the field contains an `L` or a `W`. */
  dates: number[] | null
  months: number[]
  /** Days of the week, with Sunday as 0. Null if the field contains an `L` or a `#`. */
  weekdays: number[] | null
  /** True if a day must match both the date and the weekday. Otherwise, matching one of them is enough. */
  matchesBoth: boolean
}

/** @throws {TypeError | RangeError} if the text is not a valid cron expression */
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

/** Bit mask that croner stores for a weekday without `#` or `L`. */
const EVERY_WEEK = 63

const valuesOf = (field: number[]) => field.flatMap((isNamed, value) => (isNamed ? [value] : []))
