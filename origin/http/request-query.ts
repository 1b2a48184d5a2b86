import type { Context } from 'hono'
import type { z } from 'zod'
import { validate } from '../../shared/json/json-body.ts'

/**
 * The first value of a repeated parameter is used; unknown parameters are ignored.
 * @throws {ApiError} 422 for a missing parameter, 400 for a bad value; the message names the parameter
 */
export function readQuery<Query>(context: Context, schema: z.ZodType<Query> | undefined): Query {
  // Safe: an operation without query parameters has `undefined` as their type.
  if (!schema) return undefined as Query
  return validate(schema, context.req.query())
}
