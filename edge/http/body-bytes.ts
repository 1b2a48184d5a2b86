import { ApiError } from '../../shared/errors/api-error.ts'

type BodyBounds = {
  maxBytes: number
  withinMs: number
  fix?: string
}

/**
 * The bytes are neither decoded nor decompressed, because signatures cover the bytes as sent.
 * @throws {ApiError} 413 if the body is too large; 400 if the body is interrupted or does not arrive in time
 */
export async function readBody(
  request: Request,
  { maxBytes, withinMs, fix }: BodyBounds,
): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array()
  const length = request.headers.get('content-length')
  if (Number(length) > maxBytes) throw bodyTooLarge(maxBytes, fix)
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(bodyTooSlow(withinMs)), withinMs)
  try {
    const hasLength = length !== null && /^\d+$/.test(length)
    const read = hasLength ? readWhole(request) : readChunked(request.body, maxBytes)
    const body = await Promise.race([read, timeout.promise])
    if (!body || body.length > maxBytes) throw bodyTooLarge(maxBytes, fix)
    return body
  } catch (error) {
    throw error instanceof ApiError ? error : bodyBroken()
  } finally {
    clearTimeout(timer)
  }
}

async function readWhole(request: Request): Promise<Uint8Array> {
  return new Uint8Array(await request.arrayBuffer())
}

/** Initial buffer size for a body without a declared length. The buffer doubles when it is full. */
const INITIAL_BUFFER_BYTES = 16 * 1024

/**
 * Reads a body without a declared length. Collects chunks in one buffer, because a chunk may be as small as one byte,
 * and never buffers more than the limit.
 * @returns `undefined` if the body is larger than `maxBytes`
 */
async function readChunked(
  stream: ReadableStream,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  let body = new Uint8Array(INITIAL_BUFFER_BYTES)
  let length = 0
  // Leaving the loop early cancels the stream.
  for await (const chunk of stream as ReadableStream<Uint8Array>) {
    if (length + chunk.length > maxBytes) return undefined
    if (length + chunk.length > body.length) {
      const larger = new Uint8Array(Math.max(2 * body.length, length + chunk.length))
      larger.set(body.subarray(0, length))
      body = larger
    }
    body.set(chunk, length)
    length += chunk.length
  }
  // Copied, because sending a view would send its entire underlying buffer.
  return body.slice(0, length)
}

/**
 * Error 400 for a body that was interrupted or could not be decoded. The runtime reports both failures in the same way
 * as a relocated Durable Object, which would result in a 503.
 */
export function bodyBroken(): ApiError {
  return new ApiError(
    400,
    'The body is incomplete, or does not match its headers.',
    'Send the complete body again, using an HTTP client library.',
  )
}

export function bodyTooLarge(maxBytes: number, fix = 'Send a smaller body.'): ApiError {
  return new ApiError(413, `The body exceeds the limit of ${maxBytes} bytes.`, fix)
}

export function bodyTooSlow(withinMs: number): ApiError {
  return new ApiError(
    400,
    `The body did not arrive within ${withinMs / 1000} s.`,
    'Send the body without pauses.',
    { reason: 'body_too_slow' },
  )
}
