/** geth's limit per position, and that of most providers. */
const ENTRIES_MAX = 1_000

/** A limit is forgotten after this time, because the plan may have changed. */
const FORGET_AFTER_MS = 600_000

/** Tracks how many addresses, or topics in one position, an endpoint accepts in one `eth_getLogs`. */
export class PositionLimit {
  #most = ENTRIES_MAX
  #refusedAt = Number.NEGATIVE_INFINITY

  at(now: number): number {
    if (now - this.#refusedAt >= FORGET_AFTER_MS) this.#most = ENTRIES_MAX
    return this.#most
  }

  /**
   * @param asked the number that was rejected
   * @param hint the number that the provider says it accepts
   */
  refused(asked: number, hint: number | undefined, now: number): void {
    this.#refusedAt = now
    const believed = hint !== undefined && hint >= 1 && hint < asked
    this.#most = believed ? hint : Math.max(1, asked >> 1)
  }
}
