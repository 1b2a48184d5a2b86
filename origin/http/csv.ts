/** Lists as tables for spreadsheets: CSV by RFC 4180, with a header line. */
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import { z } from 'zod'
import { validate } from '../../shared/json-body.ts'

/** What a list is as a table. */
export type CsvForm = {
  /** What a browser saves it as. */
  fileName: string
  /** Members of the list's records, in the order of the columns. */
  columns: readonly string[]
}

type Cell = string | number | null

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present'

/** What a list that has a table takes. */
export const formatQuery = z.object({
  format: z
    .enum(['json', 'csv'])
    .optional()
    .describe('csv for a table; left out, the header Accept decides.'),
})

/** Whether a request wants the table: it says so by `format`, or, without it, by `Accept`. @throws {ApiError} 400 */
export function wantsCsv(context: Context, form: CsvForm | undefined): boolean {
  if (!form) return false
  const { format } = validate(formatQuery, context.req.query())
  if (format !== undefined) return format === 'csv'
  context.header('vary', 'accept')
  const supports = ['application/json', 'text/csv']
  return accepts(context, { header: 'Accept', supports, default: supports[0]! }) === 'text/csv'
}

/** The header and a line for each record; `null` is an empty field. Lines end with CR LF (RFC 4180, 2.1). */
export function csvOf({ columns }: CsvForm, records: readonly object[]): string {
  const lines = records.map((record) => columns.map((name) => Reflect.get(record, name) as Cell))
  return [columns, ...lines].map((cells) => `${cells.map(fieldOf).join(',')}\r\n`).join('')
}

function fieldOf(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = harmless(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A spreadsheet computes what begins like a formula, and such a one can send the sheet away: an apostrophe makes it text. */
function harmless(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
}
