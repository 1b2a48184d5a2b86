import type { Context } from 'hono'
import type { z } from 'zod'
import { validate } from '../../shared/json-body.ts'

/**
 * Returns the validated query parameters. If one occurs twice, the first counts; unknown ones are ignored.
 * @throws {ApiError} 422 for a missing parameter, 400 for a bad value; the message names it
 */
export function queryOf<Query>(context: Context, schema: z.ZodType<Query> | undefined): Query {
  // Safe cast: without parameters, the handler's type for them is `undefined`.
  if (!schema) return undefined as Query
  return validate(schema, context.req.query())
}
