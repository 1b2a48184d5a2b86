import type { Context } from 'hono'
import type { z } from 'zod'
import { validate } from '../../shared/json-body.ts'

/**
 * Returns the validated query parameters. If a parameter occurs twice, the first value is used. Unknown parameters are
 * ignored.
 * @throws {ApiError} 422 for a missing parameter, 400 for a bad value; the message names the parameter
 */
export function queryOf<Query>(context: Context, schema: z.ZodType<Query> | undefined): Query {
  // The cast is safe: an operation without query parameters has `undefined` as their type.
  if (!schema) return undefined as Query
  return validate(schema, context.req.query())
}
