/** Addresses, or topics in one position, that geth and most providers accept. */
const ENTRIES_MAX = 1_000

/** A learned limit is forgotten, because the provider's plan may have changed. */
const FORGET_AFTER_MS = 600_000

/** Learns how many addresses, or topics in one position, an endpoint accepts in one `eth_getLogs` request. */
export class PositionLimit {
  #limit = ENTRIES_MAX
  #rejectedAt = Number.NEGATIVE_INFINITY

  at(now: number): number {
    if (now - this.#rejectedAt >= FORGET_AFTER_MS) this.#limit = ENTRIES_MAX
    return this.#limit
  }

  /**
   * @param requested number of addresses or topics in the rejected request
   * @param hint number that the provider claims to accept
   */
  recordRejection(requested: number, hint: number | undefined, now: number): void {
    this.#rejectedAt = now
    const believed = hint !== undefined && hint >= 1 && hint < requested
    this.#limit = believed ? hint : Math.max(1, requested >> 1)
  }
}
