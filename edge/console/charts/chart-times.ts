/** Formats the times in a chart. They are in UTC, like all times on our pages. */

const DAY_S = 24 * 60 * 60

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options })

const HOUR = format({ hour: '2-digit', minute: '2-digit' })
const DAY = format({ day: 'numeric', month: 'short' })
const MOMENT = format({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })

/**
 * Formats the ticks of a time axis: a midnight as its date, any other time as hours and minutes.
 * @param seconds times of the ticks in Unix seconds
 */
export function axisTimes(seconds: readonly number[]): string[] {
  return seconds.map((at) => (at % DAY_S === 0 ? DAY : HOUR).format(at * 1000))
}

/** @param at time in Unix milliseconds */
export const momentWritten = (at: number): string => MOMENT.format(at)
