import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import { z } from 'zod'
import { validate } from '../../shared/json/json-body.ts'

export type CsvFormat = {
  fileName: string
  columns: readonly string[]
}

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
