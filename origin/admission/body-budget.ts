/** The rejected request had no effect. */
export class BodyBudgetExhaustedError extends Error {
  readonly retryAfterMs: number
  constructor(whose: string, retryAfterMs: number) {
    super(`the memory for request bodies ${whose} is exhausted`)
    this.name = 'BodyBudgetExhaustedError'
    this.retryAfterMs = retryAfterMs
  }
}

export type BodyBudgetOptions = {
  /** For all bodies together, and for the bodies of a single holder. */
  totalBytes: number
  shareBytes: number
  retryAfterMs: number
}

export class BodyBudget {
  readonly #options: BodyBudgetOptions
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(options: BodyBudgetOptions) {
    this.#options = options
  }

  get heldBytes(): number {
    return this.#total
  }

  /** @throws {BodyBudgetExhaustedError} */
  reserve(holder: string, bytes: number): void {
    const { totalBytes, shareBytes, retryAfterMs } = this.#options
    const held = this.#held.get(holder) ?? 0
    if (held + bytes > shareBytes)
      throw new BodyBudgetExhaustedError('from this sender', retryAfterMs)
    if (this.#total + bytes > totalBytes)
      throw new BodyBudgetExhaustedError('from all senders', retryAfterMs)
    this.#held.set(holder, held + bytes)
    this.#total += bytes
  }

  release(holder: string, bytes: number): void {
    const held = (this.#held.get(holder) ?? 0) - bytes
    if (held > 0) this.#held.set(holder, held)
    else this.#held.delete(holder)
    this.#total -= bytes
  }
}
