/** Reads request bodies. No other module of the origin reads them. */
import { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import {
  BODY_STALL_BYTES,
  BODY_STALL_MS,
  BODY_TIMEOUT_MS,
  OPERATION_BODY_MAX_BYTES,
} from '../../../shared/limits.ts'
import { type BodyReadLimits, BodyBuffer } from './body-buffer.ts'
import { MeteredRequest } from '../connection/metered-request.ts'

export class BodyTooSlowError extends Error {
  override readonly name = 'BodyTooSlowError'
}

/** The client closed the connection before the end of the body, so no response is expected. */
class BodyAbortedError extends Error {
  constructor() {
    super('the client closed the connection before the end of the body')
    this.name = 'BodyAbortedError'
  }
}

export type BodyPace = { withinMs: number; stallMs: number; stallBytes: number }

const PACE: BodyPace = {
  withinMs: BODY_TIMEOUT_MS,
  stallMs: BODY_STALL_MS,
  stallBytes: BODY_STALL_BYTES,
}

/**
 * @throws {ApiError} 413 if the body is too large
 * @throws {BodyBudgetExhaustedError | BodyTooSlowError | BodyTooFragmentedError} and any error of `opening.judge`
 */
export async function readRequestBody(
  context: Context,
  bounds: BodyReadLimits,
): Promise<Uint8Array> {
  const declared = context.req.header('content-length')
  const body = new BodyBuffer(bounds, declared === undefined ? undefined : Number(declared))
  const incoming = (context.env as { incoming?: unknown } | undefined)?.incoming
  try {
    if (incoming instanceof IncomingMessage) await readIncoming(incoming, body)
    else await readInMemory(context.req.raw.body, body)
    return body.bytes()
  } finally {
    body.close()
  }
}

async function readInMemory(
  stream: ReadableStream<Uint8Array> | null,
  body: BodyBuffer,
): Promise<void> {
  const reader = stream?.getReader()
  try {
    for (;;) {
      const piece = (await reader?.read())?.value
      if (!piece) return
      body.add(piece)
    }
  } catch (error) {
    // Do not wait for the cancellation: cancelling a cloned stream waits until the clone is cancelled too.
    reader?.cancel().catch(() => {})
    throw error
  }
}

/** Reads from Node's request directly, because a web stream costs several times as much per chunk. */
export function readIncoming(
  incoming: IncomingMessage,
  body: BodyBuffer,
  pace: BodyPace = PACE,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => {
      clearInterval(timer)
      incoming.off('data', onData).off('end', onEnd).off('error', onBroken).off('close', onBroken)
      if (incoming instanceof MeteredRequest) incoming.endReading()
      end()
    }
    const refuse = (error: unknown) =>
      settle(() => {
        incoming.pause()
        reject(error)
      })
    const onData = (piece: Uint8Array) => {
      try {
        body.add(piece)
      } catch (error) {
        refuse(error)
      }
    }
    const onEnd = () => settle(resolve)
    const onBroken = () => refuse(new BodyAbortedError())
    const timer = setInterval(paceCheck(body, pace, refuse), pace.stallMs)
    incoming.on('data', onData).on('end', onEnd).on('error', onBroken).on('close', onBroken)
    if (incoming instanceof MeteredRequest) incoming.beginReading(refuse)
    if (incoming.destroyed) onBroken()
  })
}

/**
 * Returns a check of the sender's pace, which must run every `stallMs`. Only the `withinMs` limit applies to small
 * bodies, because they use little memory.
 */
function paceCheck(
  body: BodyBuffer,
  pace: BodyPace,
  refuse: (error: BodyTooSlowError) => void,
): () => void {
  const { withinMs, stallMs, stallBytes } = pace
  let elapsedMs = 0
  let before = 0
  return () => {
    elapsedMs += stallMs
    const progress = body.length - before
    before = body.length
    if (elapsedMs >= withinMs)
      refuse(new BodyTooSlowError(`it was not complete within ${withinMs} ms`))
    else if (body.length > OPERATION_BODY_MAX_BYTES && progress < stallBytes)
      refuse(
        new BodyTooSlowError(
          `${progress} bytes arrived in ${stallMs} ms, at least ${stallBytes} are required`,
        ),
      )
  }
}
