import { ApiError } from '../../../shared/errors.ts'
import { OPERATION_BODY_MAX_BYTES } from '../../../shared/limits.ts'
import type { BodyHolder } from '../../admission/body-rooms.ts'

export type BodyBounds = {
  maxBytes: number
  /** Pays for the memory above `OPERATION_BODY_MAX_BYTES`; below it there is always room. */
  holder: BodyHolder
  /** Judges the first bytes before more is gathered. Throws, or returns the bounds of the rest. */
  opening?: {
    bytes: number
    judge(opening: Uint8Array): Pick<BodyBounds, 'maxBytes' | 'holder'>
  }
}

/** The first allocation for a body in several pieces. */
const FIRST_BYTES = 16 * 1024

/** One growing buffer, so that memory follows the bytes and not the number of pieces. */
export class GatheredBody {
  #bounds: BodyBounds
  readonly #declaredBytes: number | undefined
  #buffer: Uint8Array = new Uint8Array()
  #length = 0
  #paidBytes = 0

  /** @param declaredBytes the Content-Length. @throws {ApiError} 413 */
  constructor(bounds: BodyBounds, declaredBytes: number | undefined) {
    this.#bounds = bounds
    this.#declaredBytes = declaredBytes
    this.#requireSize(declaredBytes ?? 0)
  }

  get length(): number {
    return this.#length
  }

  /** @throws {ApiError} 413. @throws {BodyRoomFull} and whatever `judge` throws */
  add(piece: Uint8Array): void {
    const length = this.#length + piece.length
    this.#requireSize(length)
    if (this.#length === 0 && piece.length === this.#declaredBytes) this.#buffer = piece
    else {
      if (length > this.#buffer.length) this.#grow(length)
      this.#buffer.set(piece, this.#length)
    }
    this.#length = length
    this.#judge()
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length)
  }

  /** Gives the paid memory back: from here on the body is the handler's. */
  close(): void {
    const { room, name } = this.#bounds.holder
    room.give(name, this.#paidBytes)
    this.#paidBytes = 0
  }

  #judge(): void {
    const { opening, ...bounds } = this.#bounds
    if (!opening || this.#length < opening.bytes) return
    const judged = opening.judge(this.#buffer.subarray(0, opening.bytes))
    this.close()
    this.#bounds = { ...bounds, ...judged }
    this.#requireSize(Math.max(this.#length, this.#declaredBytes ?? 0))
    this.#pay(this.#buffer.length)
  }

  #grow(length: number): void {
    const most = this.#declaredBytes ?? this.#bounds.maxBytes
    const room = Math.max(length, Math.min(most, Math.max(2 * this.#buffer.length, FIRST_BYTES)))
    this.#pay(room)
    // Not zeroed: only what was written is handed out.
    const buffer = Buffer.allocUnsafeSlow(room)
    buffer.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = buffer
  }

  /** Counts what is allocated: a stalled sender must pay for the room, not only for the bytes. */
  #pay(allocatedBytes: number): void {
    if (allocatedBytes <= OPERATION_BODY_MAX_BYTES) return
    const { room, name } = this.#bounds.holder
    room.take(name, allocatedBytes - this.#paidBytes)
    this.#paidBytes = allocatedBytes
  }

  #requireSize(bytes: number): void {
    const { maxBytes } = this.#bounds
    if (bytes <= maxBytes) return
    throw new ApiError(
      413,
      `The request's body is larger than ${maxBytes} bytes.`,
      'Send less; /core/v1/limits has every bound.',
    )
  }
}
