import { ApiError } from '../../../shared/errors/api-error.ts'
import { BODY_TIMEOUT_MS } from '../../../shared/limits.ts'
import { bodyBroken, bodyTooLarge, bodyTooSlow } from '../body-bytes.ts'
import type { MemoryShare } from './body-memory.ts'

type BodyWithRoom = {
  /** Buffer that contains the body, followed by unused bytes. */
  room: Uint8Array<ArrayBuffer>
  bodyBytes: number
}

/**
 * Initial buffer size. The buffer grows as bytes arrive instead of being allocated for the declared length, because a
 * Worker has only 128 MB and a client can declare any length.
 */
const INITIAL_BUFFER_BYTES = 256 * 1024

const FIX = 'Send a smaller body; GET /core/v1/limits lists all limits.'

type BodyLimits = {
  maxBytes: number
  roomBytes: number
  /** Provides memory once the body exceeds the initial buffer. */
  share: MemoryShare
  withinMs?: number
}

/**
 * Never buffers more than the limit, regardless of the declared length.
 * @throws {ApiError} 413 if the body is too large; 400 if the body is interrupted or does not arrive in time; 503 if
 *   too many large bodies are being read
 */
export async function readBodyWithRoom(
  request: Request,
  { maxBytes, roomBytes, share, withinMs = BODY_TIMEOUT_MS }: BodyLimits,
): Promise<BodyWithRoom> {
  const declared = request.headers.get('content-length')
  if (Number(declared ?? 0) > maxBytes) throw bodyTooLarge(maxBytes, FIX)
  const expected = declared === null ? maxBytes : Number(declared)
  let room = new Uint8Array(Math.min(expected, INITIAL_BUFFER_BYTES) + roomBytes)
  let bodyBytes = 0
  for await (const chunk of readChunks(request.body, withinMs)) {
    const length = bodyBytes + chunk.length
    // Leaving the loop early cancels the stream.
    if (length > maxBytes) throw bodyTooLarge(maxBytes, FIX)
    if (length > room.length) {
      const bytes = Math.max(length, Math.min(expected, 2 * bodyBytes)) + roomBytes
      share.grow(bytes)
      const larger = new Uint8Array(bytes)
      larger.set(room)
      room = larger
    }
    room.set(chunk, bodyBytes)
    bodyBytes = length
  }
  return { room, bodyBytes }
}

/** Fails at a deadline, because slow senders occupy memory. */
async function* readChunks(
  body: ReadableStream<Uint8Array> | null,
  withinMs: number,
): AsyncGenerator<Uint8Array, void> {
  if (!body) return
  const reader = body.getReader()
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(() => timeout.reject(bodyTooSlow(withinMs)), withinMs)
  let isComplete = false
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), timeout.promise])
      isComplete = done
      if (done) return
      yield value
    }
  } catch (error) {
    throw error instanceof ApiError ? error : bodyBroken()
  } finally {
    clearTimeout(timer)
    if (!isComplete) void reader.cancel().catch(() => {})
  }
}
