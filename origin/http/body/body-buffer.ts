import { ApiError } from '../../../shared/errors/api-error.ts'
import { OPERATION_BODY_MAX_BYTES } from '../../../shared/limits.ts'
import type { BodyHolder } from '../../admission/body-budgets.ts'

export type BodyReadLimits = {
  maxBytes: number
  /** Memory budget for bodies above `OPERATION_BODY_MAX_BYTES`. Smaller bodies are always accepted. */
  holder: BodyHolder
  /**
   * Checks the first bytes of a body before the rest is buffered. Throws to reject the body, or returns the limits for
   * the rest.
   */
  opening?: {
    bytes: number
    judge(opening: Uint8Array): Pick<BodyReadLimits, 'maxBytes' | 'holder'>
  }
}

const INITIAL_BYTES = 16 * 1024

/**
 * Collects a request body in one growing buffer, so that memory use depends on the body's size and not on the number of
 * chunks.
 */
export class BodyBuffer {
  #limits: BodyReadLimits
  readonly #declaredBytes: number | undefined
  #buffer: Uint8Array = new Uint8Array()
  #length = 0
  #reservedBytes = 0

  /** @throws {ApiError} 413 if the body is too large */
  constructor(bounds: BodyReadLimits, declaredBytes: number | undefined) {
    this.#limits = bounds
    this.#declaredBytes = declaredBytes
    this.#requireSize(declaredBytes ?? 0)
  }

  get length(): number {
    return this.#length
  }

  /**
   * @throws {ApiError} 413 if the body is too large
   * @throws {BodyBudgetExhaustedError} and any error of `judge`
   */
  add(piece: Uint8Array): void {
    const length = this.#length + piece.length
    this.#requireSize(length)
    if (this.#length === 0 && piece.length === this.#declaredBytes) this.#buffer = piece
    else {
      if (length > this.#buffer.length) this.#grow(length)
      this.#buffer.set(piece, this.#length)
    }
    this.#length = length
    this.#inspectOpening()
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length)
  }

  /** Releases the body's memory reservation. The request's handler is then responsible for the memory. */
  close(): void {
    const { room, name } = this.#limits.holder
    room.release(name, this.#reservedBytes)
    this.#reservedBytes = 0
  }

  #inspectOpening(): void {
    const { opening, ...bounds } = this.#limits
    if (!opening || this.#length < opening.bytes) return
    const judged = opening.judge(this.#buffer.subarray(0, opening.bytes))
    this.close()
    this.#limits = { ...bounds, ...judged }
    this.#requireSize(Math.max(this.#length, this.#declaredBytes ?? 0))
    this.#reserve(this.#buffer.length)
  }

  #grow(length: number): void {
    const most = this.#declaredBytes ?? this.#limits.maxBytes
    const capacity = Math.max(
      length,
      Math.min(most, Math.max(2 * this.#buffer.length, INITIAL_BYTES)),
    )
    this.#reserve(capacity)
    // The buffer need not be zeroed, because only bytes that were written are returned.
    const buffer = Buffer.allocUnsafeSlow(capacity)
    buffer.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = buffer
  }

  /** Reserves memory for allocated instead of received bytes, because a stalled sender occupies the whole buffer. */
  #reserve(allocatedBytes: number): void {
    if (allocatedBytes <= OPERATION_BODY_MAX_BYTES) return
    const { room, name } = this.#limits.holder
    room.reserve(name, allocatedBytes - this.#reservedBytes)
    this.#reservedBytes = allocatedBytes
  }

  #requireSize(bytes: number): void {
    const { maxBytes } = this.#limits
    if (bytes <= maxBytes) return
    throw new ApiError(
      413,
      `The request body is larger than ${maxBytes} bytes.`,
      'Send a smaller body; GET /core/v1/limits lists all limits.',
    )
  }
}
