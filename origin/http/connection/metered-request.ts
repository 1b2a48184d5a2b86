import { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { BODY_CHUNK_MIN_BYTES, BODY_SMALL_CHUNKS_MAX } from '../../../shared/limits.ts'
import { PacedConnection } from './paced-connection.ts'

/** A request body arrived in too many small chunks. Parsing them all would block the main thread. */
export class BodyTooFragmentedError extends Error {
  override readonly name = 'BodyTooFragmentedError'
  constructor() {
    super(
      `more than ${BODY_SMALL_CHUNKS_MAX} chunks of under ${BODY_CHUNK_MIN_BYTES} bytes on average`,
    )
  }
}

/**
 * Rejects a body that arrives in tiny chunks, whether the app reads the body or Node discards it. For each chunk,
 * Node's parser calls back and allocates a buffer: a 1-byte chunk costs 2.5 µs and 300 bytes of memory.
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

  /**
   * Called when the app starts to read the body.
   * @param onRefused called once if the body is rejected, even if the rejection happened before this call
   */
  beginReading(onRefused: (error: BodyTooFragmentedError) => void): void {
    this.#state = 'read'
    this.#onRefused = onRefused
    if (this.#refused) onRefused(this.#refused)
  }

  /** The remaining bytes are discarded. */
  endReading(): void {
    this.#state = 'over'
  }

  /** @returns false to stop reading from the connection */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (piece === null) return super.push(piece, encoding)
    if (this.#refused) return false
    this.#pieces++
    this.#bytes += piece.length
    if (!this.#isTooFragmented()) return super.push(piece, encoding)
    this.#refuse()
    return false
  }

  /** Overrides Node's implementation, which would bypass `push`. */
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

/** Response that lets the connection parse the next request once the response is sent. */
export class PacedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  constructor(request: Request, options?: object) {
    // Node passes a second argument to the constructor, which Node's type definitions do not declare.
    super(...([request, options] as unknown as [Request]))
    pacedConnectionOf(request)?.responsePending(this)
  }
}

/** Returns the request's paced connection, or undefined if the server does not use `protectConnections`. */
export function pacedConnectionOf({ socket }: { socket?: unknown }): PacedConnection | undefined {
  return socket instanceof PacedConnection ? socket : undefined
}
