import { notJson, parseJson } from '../../shared/json-body.ts'
import { BODY_WITHIN_MS } from '../../shared/limits.ts'
import { readBody } from './body-bytes.ts'

/**
 * The JSON of a request's body, read only now: who is not let in has nothing of his read.
 * @param maxBytes of the body; counted while it comes where it says no length
 * @throws {ApiError} 413, 415, 400 for what is no JSON, or is not there in time
 */
export async function readJson(
  request: Request,
  maxBytes: number,
  { optional = false } = {},
): Promise<unknown> {
  const bytes = await readBody(request, { maxBytes, withinMs: BODY_WITHIN_MS })
  let text
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw notJson('it is not UTF-8')
  }
  return parseJson(text, request.headers.get('content-type'), optional)
}
