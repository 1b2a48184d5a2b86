import type { z } from 'zod'
import { invalidJson, parseJson, validate } from '../../shared/json/json-body.ts'
import { withoutNulls } from '../../shared/json/without-nulls.ts'
import { BODY_TIMEOUT_MS } from '../../shared/limits.ts'
import { readBody } from './body-bytes.ts'

/**
 * Call this function only after authorization, so that the bodies of unauthorized requests are not read.
 * @param maxBytes maximum body size, enforced while reading if the client declares no length
 * @throws {ApiError} 413 if the body is too large; 415 for another content type; 400 if the body is not valid JSON or
 *   does not arrive in time
 */
export async function readJson(
  request: Request,
  maxBytes: number,
  { optional = false } = {},
): Promise<unknown> {
  const bytes = await readBody(request, { maxBytes, withinMs: BODY_TIMEOUT_MS })
  let text
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw invalidJson('it is not UTF-8')
  }
  return parseJson(text, request.headers.get('content-type'), optional)
}

/**
 * A null in an optional field is treated as absent.
 * @throws {ApiError} like `readJson`; 422 if the fields do not match the schema
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
