/** Addresses, or topics in one position, that geth and most providers accept. */
const ENTRIES_MAX = 1_000

/** A learned limit is forgotten, because the provider's plan may have changed. */
const FORGET_AFTER_MS = 600_000

/** Learns how many addresses, or topics in one position, an endpoint accepts in one `eth_getLogs` request. */
export class PositionLimit {
  #most = ENTRIES_MAX
  #refusedAt = Number.NEGATIVE_INFINITY

  at(now: number): number {
    if (now - this.#refusedAt >= FORGET_AFTER_MS) this.#most = ENTRIES_MAX
    return this.#most
  }

  /**
   * @param asked number of addresses or topics in the rejected request
   * @param hint number that the provider claims to accept
   */
  refused(asked: number, hint: number | undefined, now: number): void {
    this.#refusedAt = now
    const believed = hint !== undefined && hint >= 1 && hint < asked
    this.#most = believed ? hint : Math.max(1, asked >> 1)
  }
}
