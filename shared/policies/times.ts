import type { Rule, Weekday } from './document.ts'
import { refuse } from './policy-error.ts'

export type TimeWindow = NonNullable<Rule['times']>[number]

const WEEKDAYS: readonly Weekday[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const DAY_MINUTES = 24 * 60

/** Returns a function that tells whether one of the windows contains a time. @throws {PolicyError} */
export function compileTimes(
  windows: readonly TimeWindow[],
  path: string,
): (now: number) => boolean {
  const compiled = windows.map(({ weekdays = WEEKDAYS, from = '00:00', to = '24:00' }, index) => {
    const [begin, end] = [minuteOf(from), minuteOf(to)]
    if (begin >= end)
      refuse(
        `${path}[${index}].to`,
        `not after ${from}; write two windows for a time past midnight`,
      )
    return { days: new Set(weekdays), begin, end }
  })
  return (now) => {
    const date = new Date(now)
    const day = WEEKDAYS[date.getUTCDay()]!
    const minute = date.getUTCHours() * 60 + date.getUTCMinutes()
    return compiled.some(({ days, begin, end }) => days.has(day) && minute >= begin && minute < end)
  }
}

/** Converts `hh:mm` to the minute of the day. */
export function minuteOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number)
  return Math.min(hours! * 60 + minutes!, DAY_MINUTES)
}
