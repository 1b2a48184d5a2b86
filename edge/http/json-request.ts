import { ApiError } from '../../shared/errors.ts'
import { notJson, parseJson } from '../../shared/json-body.ts'

/**
 * The JSON of a request's body, read only now: who is not let in has nothing of his read.
 * @param maxBytes of the body; counted while it comes where it says no length
 * @throws {ApiError} 413, 415, 400
 */
export async function readJson(
  request: Request,
  maxBytes: number,
  { optional = false } = {},
): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes)
  let text
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw notJson('it is not UTF-8')
  }
  return parseJson(text, request.headers.get('content-type'), optional)
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  if (!request.body) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let total = 0
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    total += chunk.length
    if (total > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  const bytes = new Uint8Array(total)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError(413, `This body may have at most ${maxBytes} bytes.`, 'Send less.')
}
