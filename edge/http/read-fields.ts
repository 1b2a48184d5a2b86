import type { z } from 'zod'
import { validate } from '../../shared/json/json-body.ts'
import { withoutNulls } from '../../shared/json/without-nulls.ts'
import { readJson } from './json-request.ts'

/**
 * A null in an optional field is treated as absent.
 * @throws {ApiError} 413 or 415; 400 if the body is not JSON; 422 if fields do not match the schema
 */
export async function readFields<Fields>(
  request: Request,
  schema: z.ZodType<Fields>,
  maxBytes: number,
  { optional = false } = {},
): Promise<Fields> {
  const json = await readJson(request, maxBytes, { optional })
  return validate(schema, withoutNulls(schema, json), 422)
}
