/** Aligned lines for people. */
import { printable } from '../terminal.ts'

/** What a terminal shows in a line, whatever it says of itself: text that wraps is no table any more. */
export const LINE_CHARACTERS = 80

/** Rows of cells below each other; the last cell of a row takes what is left of the line. */
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

/** A name and what it is, a line each; those without a value are left out. */
export function facts(of: Readonly<Record<string, string | undefined>>): string[] {
  return columns(Object.entries(of).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}

/** Any JSON value in a part of a line. */
export function brief(value: unknown, characters: number): string {
  const text = printable(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
  return text.length <= characters ? text : `${text.slice(0, characters - 1)}…`
}

/** An RFC 3339 time in UTC without its fraction; a dash where there is none. */
export function moment(time: string | null | undefined): string {
  return time ? printable(`${time.slice(0, 10)} ${time.slice(11, 19)}Z`) : '-'
}
