/** The rejected request had no effect. */
export class BodyRoomFull extends Error {
  readonly retryAfterMs: number
  constructor(whose: string, retryAfterMs: number) {
    super(`the memory for request bodies ${whose} is exhausted`)
    this.name = 'BodyRoomFull'
    this.retryAfterMs = retryAfterMs
  }
}

export type BodyRoomOptions = {
  /** For all bodies together, and for the bodies of a single holder. */
  totalBytes: number
  shareBytes: number
  retryAfterMs: number
}

export class BodyRoom {
  readonly #options: BodyRoomOptions
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(options: BodyRoomOptions) {
    this.#options = options
  }

  get heldBytes(): number {
    return this.#total
  }

  /** @throws {BodyRoomFull} */
  take(holder: string, bytes: number): void {
    const { totalBytes, shareBytes, retryAfterMs } = this.#options
    const held = this.#held.get(holder) ?? 0
    if (held + bytes > shareBytes) throw new BodyRoomFull('from this sender', retryAfterMs)
    if (this.#total + bytes > totalBytes) throw new BodyRoomFull('from all senders', retryAfterMs)
    this.#held.set(holder, held + bytes)
    this.#total += bytes
  }

  give(holder: string, bytes: number): void {
    const held = (this.#held.get(holder) ?? 0) - bytes
    if (held > 0) this.#held.set(holder, held)
    else this.#held.delete(holder)
    this.#total -= bytes
  }
}
