import { ApiError } from '../../shared/errors.ts'

export type BodyBounds = {
  maxBytes: number
  withinMs: number
  /** Advice for the sender of a larger body. */
  fix?: string
}

/**
 * Reads the raw bytes of a body. Nothing is decoded or decompressed, because signatures cover the bytes as sent.
 * @throws {ApiError} 413 if it is too large; 400 if it is interrupted or does not arrive in time
 */
export async function readBody(
  request: Request,
  { maxBytes, withinMs, fix }: BodyBounds,
): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array()
  const length = request.headers.get('content-length')
  if (Number(length) > maxBytes) throw bodyTooLarge(maxBytes, fix)
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(bodyTooSlow(withinMs)), withinMs)
  try {
    const isKnown = length !== null && /^\d+$/.test(length)
    const read = isKnown ? wholeBody(request) : countedBody(request.body, maxBytes)
    const body = await Promise.race([read, late.promise])
    if (!body || body.length > maxBytes) throw bodyTooLarge(maxBytes, fix)
    return body
  } catch (error) {
    throw error instanceof ApiError ? error : bodyBroken()
  } finally {
    clearTimeout(timer)
  }
}

async function wholeBody(request: Request): Promise<Uint8Array> {
  return new Uint8Array(await request.arrayBuffer())
}

/** Initial buffer size for a body without a declared length. It doubles as needed. */
const FIRST_ROOM_BYTES = 16 * 1024

/**
 * Reads a body of unknown length, and never buffers more than the limit. A body may arrive one byte at a time.
 * @returns `undefined` if it is larger than `maxBytes`
 */
async function countedBody(
  stream: ReadableStream,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  let body = new Uint8Array(FIRST_ROOM_BYTES)
  let length = 0
  // Leaving the loop cancels the stream.
  for await (const chunk of stream as ReadableStream<Uint8Array>) {
    if (length + chunk.length > maxBytes) return undefined
    if (length + chunk.length > body.length) {
      const more = new Uint8Array(Math.max(2 * body.length, length + chunk.length))
      more.set(body.subarray(0, length))
      body = more
    }
    body.set(chunk, length)
    length += chunk.length
  }
  // Copies the used part: passing on a view would send the whole underlying buffer.
  return body.slice(0, length)
}

/**
 * Returns a 400 for a body that cannot be decoded, or whose connection broke. The runtime reports both like a relocated
 * Durable Object, which would become a 503.
 */
export function bodyBroken(): ApiError {
  return new ApiError(
    400,
    'The body could not be read to its end: it broke off, or is not framed as its headers say.',
    'Send it again, whole, with an HTTP client library.',
  )
}

export function bodyTooLarge(maxBytes: number, fix = 'Send less.'): ApiError {
  return new ApiError(413, `The body may have at most ${maxBytes} bytes.`, fix)
}

export function bodyTooSlow(withinMs: number): ApiError {
  return new ApiError(
    400,
    `The body was not there within ${withinMs / 1000} s.`,
    'Send it in one go.',
    { reason: 'body_too_slow' },
  )
}
