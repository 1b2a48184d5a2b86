import { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { BODY_PIECE_MIN_BYTES, BODY_SMALL_PIECES_MAX } from '../../../shared/limits.ts'
import { PacedConnection } from './paced-connection.ts'

/** The body arrives in so many small chunks that parsing them would block the main thread. */
export class BodyInTinyPieces extends Error {
  constructor() {
    super(`more than ${BODY_SMALL_PIECES_MAX} pieces, under ${BODY_PIECE_MIN_BYTES} bytes each`)
    this.name = 'BodyInTinyPieces'
  }
}

/**
 * A request that rejects a body in tiny chunks, whether the app reads it or Node discards it. Node's parser makes a
 * callback and a buffer for each chunk: 1-byte chunks cost 2.5 µs and 300 bytes of memory each.
 */
export class MeteredRequest extends IncomingMessage {
  #pieces = 0
  #bytes = 0
  #refused: BodyInTinyPieces | undefined
  #state: 'unread' | 'read' | 'over' = 'unread'
  #onRefused: ((error: BodyInTinyPieces) => void) | undefined

  constructor(socket: Socket) {
    super(socket)
    connectionOf(this)?.requestBegun(this)
  }

  /** @param onRefused called once if the body is rejected, also if that happened before this call */
  beginReading(onRefused: (error: BodyInTinyPieces) => void): void {
    this.#state = 'read'
    this.#onRefused = onRefused
    if (this.#refused) onRefused(this.#refused)
  }

  /** Marks the body as read; the rest of it is discarded. */
  endReading(): void {
    this.#state = 'over'
  }

  /** Called by Node's parser for each chunk. @returns false to stop reading the connection */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (piece === null) return super.push(piece, encoding)
    if (this.#refused) return false
    this.#pieces++
    this.#bytes += piece.length
    if (!this.#isAbsurd()) return super.push(piece, encoding)
    this.#refuse()
    return false
  }

  /** Called by Node after a response if the request was not read. Node's own method would bypass `push`. */
  _dump(): void {
    this.#state = 'over'
    if (this.#refused) this.socket.destroySoon()
    else this.resume()
  }

  #isAbsurd(): boolean {
    const isMany = this.#pieces > BODY_SMALL_PIECES_MAX
    return isMany && this.#bytes < this.#pieces * BODY_PIECE_MIN_BYTES
  }

  #refuse(): void {
    this.#refused = new BodyInTinyPieces()
    connectionOf(this)?.stopReading()
    if (this.#state === 'over') this.socket.destroy()
    else this.#onRefused?.(this.#refused)
  }
}

/** A response that lets its connection parse the next request once it has been sent. */
export class PacedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  constructor(request: Request, options?: object) {
    // Node passes options that are missing from its types.
    super(...([request, options] as unknown as [Request]))
    connectionOf(request)?.answerDue(this)
  }
}

/** Returns the paced connection of a request, or undefined if the server does not use `protectConnections`. */
export function connectionOf({ socket }: { socket?: unknown }): PacedConnection | undefined {
  return socket instanceof PacedConnection ? socket : undefined
}
