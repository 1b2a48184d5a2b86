import { printable } from '../terminal.ts'

/** Line length of the output, regardless of the terminal's actual width. Wrapped lines would break tables. */
export const LINE_CHARACTERS = 80

export function columns(rows: readonly (readonly string[])[]): string[] {
  const shown = rows.map((row) => row.map(printable))
  const widths: number[] = []
  for (const row of shown)
    for (const [at, cell] of row.slice(0, -1).entries())
      widths[at] = Math.max(widths[at] ?? 0, cell.length)
  return shown.map((row) => {
    const line = row.map((cell, at) => (at < row.length - 1 ? cell.padEnd(widths[at]!) : cell))
    return line.join('  ').trimEnd()
  })
}

export function facts(of: Readonly<Record<string, string | undefined>>): string[] {
  return columns(Object.entries(of).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}

export function brief(value: unknown, characters: number): string {
  const text = printable(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`
}

/** Formats an RFC 3339 time in UTC without fractions of a second. Returns a dash for null or undefined. */
export function formatUtcTime(time: string | null | undefined): string {
  return time ? printable(`${time.slice(0, 10)} ${time.slice(11, 19)}Z`) : '-'
}
