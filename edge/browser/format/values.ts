/** Times are passed in Unix milliseconds, and shown in UTC. */
import { escapeInvisible } from '../components/user-text.tsx'

const TIME_FORMAT = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

export const formatTime = (at: number): string => `${TIME_FORMAT.format(at)} UTC`

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Duration such as `40 ms`, `1.2 s`, `2 min 5 s` or `3 h 4 min`. */
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

/** Time relative to now, such as `just now`, `12 s ago` or `in 5 min`. */
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

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Escapes invisible characters, except for line breaks and tabs. */
export function escapeLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(/[^\n\t]+/g, (part) => escapeInvisible(part))
}

/** First line that is not blank. */
export const firstLine = (text: string): string => text.trimStart().split('\n', 1)[0]!
