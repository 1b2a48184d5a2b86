import { ApiError } from '../../shared/errors.ts'

export type BodyBounds = {
  maxBytes: number
  withinMs: number
  /** What the sender of a larger one can do. */
  fix?: string
}

/**
 * The bytes of a body as they came: nothing is decoded or unpacked, since signatures cover what was sent.
 * @throws {ApiError} 413 for more than it may have, 400 for a body that is not there in time
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
  } finally {
    clearTimeout(timer)
  }
}

async function wholeBody(request: Request): Promise<Uint8Array> {
  return new Uint8Array(await request.arrayBuffer())
}

/** Room for a body without a length begins with this, and doubles. */
const FIRST_ROOM_BYTES = 16 * 1024

/**
 * Counted while it is read, and no more than is taken is ever held: a body may come one byte at a time.
 * @returns `undefined` for a larger one
 */
async function countedBody(
  stream: ReadableStream,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  let body = new Uint8Array(FIRST_ROOM_BYTES)
  let length = 0
  // Left, the loop cancels the stream.
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
  // A copy: what is sent on is the memory behind it, with the room that stayed empty.
  return body.slice(0, length)
}

export function bodyTooLarge(maxBytes: number, fix = 'Send less.'): ApiError {
  return new ApiError(413, `The body may have at most ${maxBytes} bytes.`, fix)
}

export function bodyTooSlow(withinMs: number): ApiError {
  return new ApiError(
    400,
    `The body was not there within ${withinMs / 1000} s.`,
    'Send it in one go.',
    { error: 'body_too_slow' },
  )
}
