import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import { z } from 'zod'
import { validate } from '../../shared/json/json-body.ts'

export type CsvFormat = {
  fileName: string
  columns: readonly string[]
}

type Cell = string | number | null

export const CSV_TYPE = 'text/csv; charset=utf-8; header=present'

export const formatQuery = z.object({
  format: z
    .enum(['json', 'csv'])
    .optional()
    .describe('csv returns a table; if omitted, the Accept header decides.'),
})

/**
 * Checks whether the client wants CSV, by the `format` parameter or, if that is absent, by the `Accept` header.
 * @throws {ApiError} 400
 */
export function wantsCsv(context: Context, form: CsvFormat | undefined): boolean {
  if (!form) return false
  const { format } = validate(formatQuery, context.req.query())
  if (format !== undefined) return format === 'csv'
  context.header('vary', 'accept')
  const supports = ['application/json', 'text/csv']
  return accepts(context, { header: 'Accept', supports, default: supports[0]! }) === 'text/csv'
}

/** `null` becomes an empty field. Lines end with CRLF (RFC 4180, 2.1). */
export function formatCsv({ columns }: CsvFormat, records: readonly object[]): string {
  const lines = records.map((record) => columns.map((name) => Reflect.get(record, name) as Cell))
  return [columns, ...lines].map((cells) => `${cells.map(formatCell).join(',')}\r\n`).join('')
}

function formatCell(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = escapeFormula(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Prevents CSV injection: a leading apostrophe keeps spreadsheets from evaluating the text as a formula. */
function escapeFormula(text: string): string {
  return /^[=+\-@\t\r\n]/.test(text) ? `'${text}` : text
}
