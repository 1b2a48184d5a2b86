import type { Context } from 'hono'
import type { z } from 'zod'
import { validate } from '../../shared/json-body.ts'

/**
 * The parameters after the question mark, validated; of one that is there twice the first counts, and what the
 * schema does not name is ignored.
 * @throws {ApiError} 422 for a missing parameter, 400 for a bad value; the message names it
 */
export function queryOf<Query>(context: Context, schema: z.ZodType<Query> | undefined): Query {
  // An operation without parameters has `undefined` for their type, and no handler that looks at them.
  if (!schema) return undefined as Query
  return validate(schema, context.req.query())
}
