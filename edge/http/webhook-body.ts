import { ApiError } from '../../shared/errors.ts'
import { WEBHOOK_BODY_MAX_BYTES, WEBHOOK_BODY_WITHIN_MS } from '../../shared/limits.ts'

const LIMITS = { maxBytes: WEBHOOK_BODY_MAX_BYTES, withinMs: WEBHOOK_BODY_WITHIN_MS }

/**
 * The bytes of a body as they came: nothing is decoded or unpacked, since signatures cover what was sent.
 * @throws {ApiError} 413 for more than a webhook takes, 400 for a body that is not there in time
 */
export async function readBody(request: Request, limits = LIMITS): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array()
  const length = request.headers.get('content-length')
  if (Number(length) > limits.maxBytes) throw tooLarge(limits.maxBytes)
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(tooSlow(limits.withinMs)), limits.withinMs)
  try {
    const isKnown = length !== null && /^\d+$/.test(length)
    const read = isKnown ? wholeBody(request) : countedBody(request.body, limits.maxBytes)
    const body = await Promise.race([read, late.promise])
    if (body.length > limits.maxBytes) throw tooLarge(limits.maxBytes)
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

/** Counted while it is read, and no more than is taken is ever held: a body may come one byte at a time. */
async function countedBody(stream: ReadableStream, maxBytes: number): Promise<Uint8Array> {
  let body = new Uint8Array(FIRST_ROOM_BYTES)
  let length = 0
  // Left by a throw, the loop cancels the stream.
  for await (const chunk of stream as ReadableStream<Uint8Array>) {
    if (length + chunk.length > maxBytes) throw tooLarge(maxBytes)
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

function tooLarge(maxBytes: number): ApiError {
  return new ApiError(
    413,
    `A webhook's body may have at most ${maxBytes} bytes.`,
    'Send less, or send a reference that the action can fetch.',
  )
}

function tooSlow(withinMs: number): ApiError {
  return new ApiError(
    400,
    `The body was not there within ${withinMs / 1000} s.`,
    'Send it in one go.',
    { error: 'body_too_slow' },
  )
}
