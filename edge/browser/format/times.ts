/**
 * Formats times, which are in Unix milliseconds. Times are shown in UTC, because the reader's time zone is unknown
 * without a script.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/durations.ts'

const DAY = { day: 'numeric', month: 'short' } as const
const DATE = { ...DAY, year: 'numeric' } as const
const MINUTE = { hour: '2-digit', minute: '2-digit' } as const
const SECOND = { ...MINUTE, second: '2-digit' } as const

const timeFormat = (options: Intl.DateTimeFormatOptions, timeZone = 'UTC') =>
  new Intl.DateTimeFormat('en-GB', { timeZone, ...options })

const DAY_FORMAT = timeFormat(DAY)
const MINUTE_FORMAT = timeFormat(MINUTE)
const DAY_MINUTE_FORMAT = timeFormat({ ...DAY, ...MINUTE })
const DATE_MINUTE_FORMAT = timeFormat({ ...DATE, ...MINUTE })
const DATE_SECOND_FORMAT = timeFormat({ ...DATE, ...SECOND })

export const formatMinute = (at: number): string => `${DATE_MINUTE_FORMAT.format(at)} UTC`

export const formatTime = (at: number): string => `${DATE_SECOND_FORMAT.format(at)} UTC`

export const formatTimeIn = (timeZone: string, at: number): string =>
  timeFormat({ weekday: 'short', ...DATE, ...SECOND }, timeZone).format(at)

export const formatChartTime = (at: number): string => DAY_MINUTE_FORMAT.format(at)

/** Formats a time for a chart's axis: midnight as a date, other times as hours and minutes. */
export const formatAxisTime = (at: number): string =>
  (at % DAY_MS === 0 ? DAY_FORMAT : MINUTE_FORMAT).format(at)

/** Formats a duration, for example as `40 ms`, `1.2 s`, `2 min 5 s` or `3 h 4 min`. */
export function formatDuration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`
  if (ms < 10 * SECOND_MS) return `${(ms / SECOND_MS).toFixed(1)} s`
  if (ms < MINUTE_MS) return `${Math.round(ms / SECOND_MS)} s`
  if (ms < HOUR_MS)
    return `${Math.floor(ms / MINUTE_MS)} min ${Math.floor((ms % MINUTE_MS) / SECOND_MS)} s`
  if (ms < DAY_MS)
    return `${Math.floor(ms / HOUR_MS)} h ${Math.floor((ms % HOUR_MS) / MINUTE_MS)} min`
  return `${Math.floor(ms / DAY_MS)} d ${Math.floor((ms % DAY_MS) / HOUR_MS)} h`
}

/** Formats a time relative to now, for example as `just now`, `12 s ago` or `in 5 min`. */
export function relativeTime(at: number, now: number): string {
  const away = Math.abs(at - now)
  if (away < SECOND_MS) return 'just now'
  const [unit, length] = (
    [
      ['d', DAY_MS],
      ['h', HOUR_MS],
      ['min', MINUTE_MS],
    ] as const
  ).find(([, whole]) => away >= whole) ?? ['s', SECOND_MS]
  const text = `${Math.floor(away / length)} ${unit}`
  return at > now ? `in ${text}` : `${text} ago`
}

export const formatDurationOr = (absent: string, ms: number | null): string =>
  ms === null ? absent : formatDuration(ms)
