/**
 * Time after which a learned limit is discarded. The provider's plan may have changed, or the rejection may have been
 * temporary.
 */
const FORGET_AFTER_MS = 600_000

/**
 * Batch sizes to try, largest first. Each is accepted by some providers. A size of 1 means that calls are not batched.
 */
const SIZES = [50, 10, 3, 1]

export class BatchSize {
  #index = 0
  #rejectedAt = Number.NEGATIVE_INFINITY

  at(now: number): number {
    if (now - this.#rejectedAt >= FORGET_AFTER_MS) this.#index = 0
    return SIZES[this.#index]!
  }

  /** @returns the batch size to try next */
  recordRejection(length: number, now: number): number {
    this.#rejectedAt = now
    while (this.#index < SIZES.length - 1 && SIZES[this.#index]! >= length) this.#index++
    return SIZES[this.#index]!
  }
}

/** Remembers for some time that an endpoint does not support a method. */
export class MethodSupport {
  #rejectedAt = Number.NEGATIVE_INFINITY

  isSupported(now: number): boolean {
    return now - this.#rejectedAt >= FORGET_AFTER_MS
  }

  recordRejection(now: number): void {
    this.#rejectedAt = now
  }
}

/** Number of addresses, or of topics in one position, that geth and most providers accept. */
const ENTRIES_MAX = 1_000

/** Learns how many addresses, or topics in one position, an endpoint accepts in one `eth_getLogs` request. */
export class PositionLimit {
  #limit = ENTRIES_MAX
  #rejectedAt = Number.NEGATIVE_INFINITY

  at(now: number): number {
    if (now - this.#rejectedAt >= FORGET_AFTER_MS) this.#limit = ENTRIES_MAX
    return this.#limit
  }

  /** @param hint number that the provider claims to accept */
  recordRejection(requested: number, hint: number | undefined, now: number): void {
    this.#rejectedAt = now
    const believed = hint !== undefined && hint >= 1 && hint < requested
    this.#limit = believed ? hint : Math.max(1, requested >> 1)
  }
}
