/** All times on our pages are in UTC. */

const DAY_S = 24 * 60 * 60

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options })

const HOUR = format({ hour: '2-digit', minute: '2-digit' })
const DAY = format({ day: 'numeric', month: 'short' })
const MOMENT = format({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })

/**
 * Midnights become dates, other times hours and minutes.
 * @param seconds Unix seconds
 */
export function formatAxisTimes(seconds: readonly number[]): string[] {
  return seconds.map((at) => (at % DAY_S === 0 ? DAY : HOUR).format(at * 1000))
}

/** @param at Unix milliseconds */
export const formatChartTime = (at: number): string => MOMENT.format(at)
