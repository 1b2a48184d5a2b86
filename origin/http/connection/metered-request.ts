import { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { BODY_CHUNK_MIN_BYTES, BODY_SMALL_CHUNKS_MAX } from '../../../shared/limits.ts'
import { PacedConnection } from './paced-connection.ts'

/** Parsing so many small chunks would block the main thread. */
export class BodyTooFragmentedError extends Error {
  override readonly name = 'BodyTooFragmentedError'
  constructor() {
    super(
      `more than ${BODY_SMALL_CHUNKS_MAX} chunks of under ${BODY_CHUNK_MIN_BYTES} bytes on average`,
    )
  }
}

/**
 * Rejects a body in tiny chunks, whether the app reads the body or Node discards it. Node's parser calls back and
 * allocates a buffer for each chunk: a 1-byte chunk costs 2.5 µs and 300 bytes of memory.
 */
export class MeteredRequest extends IncomingMessage {
  #pieces = 0
  #bytes = 0
  #refused: BodyTooFragmentedError | undefined
  #state: 'unread' | 'read' | 'over' = 'unread'
  #onRefused: ((error: BodyTooFragmentedError) => void) | undefined

  constructor(socket: Socket) {
    super(socket)
    pacedConnectionOf(this)?.requestStarted(this)
  }

  /** @param onRefused called once if the body is rejected, even if it already was */
  beginReading(onRefused: (error: BodyTooFragmentedError) => void): void {
    this.#state = 'read'
    this.#onRefused = onRefused
    if (this.#refused) onRefused(this.#refused)
  }

  /** The rest of the body is discarded. */
  endReading(): void {
    this.#state = 'over'
  }

  /** Called by Node's parser. @returns false to stop reading from the connection */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (piece === null) return super.push(piece, encoding)
    if (this.#refused) return false
    this.#pieces++
    this.#bytes += piece.length
    if (!this.#isTooFragmented()) return super.push(piece, encoding)
    this.#refuse()
    return false
  }

  /** Called by Node after the response; its own implementation would bypass `push`. */
  _dump(): void {
    this.#state = 'over'
    if (this.#refused) this.socket.destroySoon()
    else this.resume()
  }

  #isTooFragmented(): boolean {
    const isMany = this.#pieces > BODY_SMALL_CHUNKS_MAX
    return isMany && this.#bytes < this.#pieces * BODY_CHUNK_MIN_BYTES
  }

  #refuse(): void {
    this.#refused = new BodyTooFragmentedError()
    pacedConnectionOf(this)?.stopReading()
    if (this.#state === 'over') this.socket.destroy()
    else this.#onRefused?.(this.#refused)
  }
}

/** Once sent, lets the connection parse the next request. */
export class PacedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  constructor(request: Request, options?: object) {
    // Node passes a second argument that its type definitions do not declare.
    super(...([request, options] as unknown as [Request]))
    pacedConnectionOf(request)?.responsePending(this)
  }
}

/** Undefined if the server does not use `protectConnections`. */
export function pacedConnectionOf({ socket }: { socket?: unknown }): PacedConnection | undefined {
  return socket instanceof PacedConnection ? socket : undefined
}
