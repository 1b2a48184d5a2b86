import { escapeInvisible } from '../components/user-text.tsx'

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** Escapes invisible characters except line breaks and tabs. The CR of CR LF is escaped. */
export const escapeLinesAndCr = (text: string): string =>
  text.replace(/[^\n\t]+/g, (part) => escapeInvisible(part))

/** Escapes invisible characters except line breaks and tabs. CR LF is converted to LF. */
export const escapeLines = (text: string): string => escapeLinesAndCr(text.replaceAll('\r\n', '\n'))

export const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

export const firstLine = (text: string): string => text.trimStart().split('\n', 1)[0]!

export const shortenId = (text: string): string =>
  text.length <= 20 ? text : `${text.slice(0, 8)}…${text.slice(-6)}`
