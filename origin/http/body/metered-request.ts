import { IncomingMessage } from 'node:http'
import { BODY_PIECE_MIN_BYTES, BODY_SMALL_PIECES_MAX } from '../../../shared/limits.ts'
import { TurnBudget } from './turn-budget.ts'

/** The body comes in so many small pieces that parsing them would occupy the main thread. */
export class BodyInTinyPieces extends Error {
  constructor() {
    super(`more than ${BODY_SMALL_PIECES_MAX} pieces, under ${BODY_PIECE_MIN_BYTES} bytes each`)
    this.name = 'BodyInTinyPieces'
  }
}

/** Bodies of few pieces do not wait for the turn budget: a flood on other connections must not delay them. */
const UNMETERED_PIECES = 64

const turns = new TurnBudget()

/**
 * A request whose body is metered, whether the app reads it or Node discards it. Node's parser makes a callback and a
 * buffer for every chunk: 1-byte chunks cost 2.5 µs and 300 bytes of memory each, and one socket delivers 2 MB of them in
 * one turn of the event loop.
 *
 * A server uses it through the option `IncomingMessage`.
 */
export class MeteredRequest extends IncomingMessage {
  #pieces = 0
  #bytes = 0
  #isWaiting = false
  #refused: BodyInTinyPieces | undefined
  #state: 'unread' | 'read' | 'over' = 'unread'
  #onRefused: ((error: BodyInTinyPieces) => void) | undefined

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

  /** Called by Node's parser for each piece. @returns false to stop reading the socket */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (piece === null) return super.push(piece, encoding)
    if (this.#refused) return false
    this.#pieces++
    this.#bytes += piece.length
    if (this.#isAbsurd()) {
      this.#refuse()
      return false
    }
    const hasBudget = turns.spend(piece.length) || this.#pieces <= UNMETERED_PIECES
    return super.push(piece, encoding) && hasBudget
  }

  /** Resumes the socket, once there is time for it. Called after every piece. */
  override _read(size: number): void {
    if (this.#refused || this.#isWaiting) return
    if (this.#pieces <= UNMETERED_PIECES) return super._read(size)
    this.#isWaiting = true
    turns.schedule(() => {
      this.#isWaiting = false
      if (!this.destroyed) super._read(size)
    })
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
    // Replacing the HTTP server's listener detaches its parser: later reads of this socket are dropped.
    this.socket.removeAllListeners('data').on('data', () => {})
    if (this.#state === 'over') this.socket.destroy()
    else this.#onRefused?.(this.#refused)
  }
}
