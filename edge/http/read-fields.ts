import type { z } from 'zod'
import { validate } from '../../shared/json-body.ts'
import { withoutNulls } from '../../shared/without-nulls.ts'
import { readJson } from './json-request.ts'

/**
 * Reads the JSON fields of a request of the API. Null in an optional field means absent.
 * @param maxBytes of the body
 * @throws {ApiError} 413, 415, 400 for a body that is not JSON, 422 for fields that do not fit the schema
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
