/** The cost of bodies in two turns of the event loop, in bytes: some 3 ms of the main thread. */
const TURN_BYTES = 2 * 1024 * 1024

/** One piece, however small, costs as much as decrypting and copying this many bytes: a callback of the parser and a buffer. */
const PIECE_BYTES = 2 * 1024

/**
 * Shares the event loop between request bodies and everything else. Once bodies have spent the budget, their sockets are
 * not read until a later turn, one socket every second turn. TCP then slows the senders down.
 */
export class TurnBudget {
  #left = TURN_BYTES
  #isArmed = false
  readonly #waiting: (() => void)[] = []

  /** @returns whether the budget covers another piece */
  spend(bytes: number): boolean {
    this.#left -= PIECE_BYTES + bytes
    this.#arm()
    return this.#left > 0
  }

  /** Calls `read` now if there is budget left, else in a later turn. */
  schedule(read: () => void): void {
    if (this.#left > 0) return read()
    this.#waiting.push(read)
    this.#arm()
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    setImmediate(() => setImmediate(() => this.#refill()))
  }

  #refill(): void {
    this.#isArmed = false
    this.#left = TURN_BYTES
    // One socket at a time: each may have 64 KiB of pieces in its buffer, all of which are parsed at once.
    this.#waiting.shift()?.()
    if (this.#waiting.length > 0) this.#arm()
  }
}
