import { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { BODY_PIECE_MIN_BYTES, BODY_SMALL_PIECES_MAX } from '../../../shared/limits.ts'
import { PacedConnection } from './paced-connection.ts'

/** The body comes in so many small pieces that parsing them would occupy the main thread. */
export class BodyInTinyPieces extends Error {
  constructor() {
    super(`more than ${BODY_SMALL_PIECES_MAX} pieces, under ${BODY_PIECE_MIN_BYTES} bytes each`)
    this.name = 'BodyInTinyPieces'
  }
}

/**
 * A request that refuses a body in tiny pieces, whether the app reads the body or Node discards it. Node's parser makes a
 * callback and a buffer for every chunk: 1-byte chunks cost 2.5 µs and 300 bytes of memory each.
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

  /** @param onRefused called once if the body is refused, also if it was refused before */
  beginReading(onRefused: (error: BodyInTinyPieces) => void): void {
    this.#state = 'read'
    this.#onRefused = onRefused
    if (this.#refused) onRefused(this.#refused)
  }

  /** The rest of the body is discarded. */
  endReading(): void {
    this.#state = 'over'
  }

  /** Called by Node's parser for each piece. @returns false to stop reading the connection */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (piece === null) return super.push(piece, encoding)
    if (this.#refused) return false
    this.#pieces++
    this.#bytes += piece.length
    if (!this.#isAbsurd()) return super.push(piece, encoding)
    this.#refuse()
    return false
  }

  /** Called by Node after an answer whose request was not read. Node's own method would discard pieces without `push`. */
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

/** A response that reopens its connection for the next request after it was sent. */
export class PacedResponse<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  constructor(request: Request, options?: object) {
    // Node passes options that its types do not have.
    super(...([request, options] as unknown as [Request]))
    connectionOf(request)?.answerDue(this)
  }
}

/** Returns the paced connection of a request, or undefined for one of a server without `protectConnections`. */
export function connectionOf({ socket }: { socket?: unknown }): PacedConnection | undefined {
  return socket instanceof PacedConnection ? socket : undefined
}
