/** What geth takes in one position, and so most providers. */
const ENTRIES_MAX = 1_000

/** A plan may have been changed. */
const FORGET_AFTER_MS = 600_000

/** How many addresses, or topics of one position, an endpoint takes in one `eth_getLogs`. */
export class PositionLimit {
  #most = ENTRIES_MAX
  #refusedAt = Number.NEGATIVE_INFINITY

  at(now: number): number {
    if (now - this.#refusedAt >= FORGET_AFTER_MS) this.#most = ENTRIES_MAX
    return this.#most
  }

  /** @param asked so many were too many @param hint so many are not, as the provider says */
  refused(asked: number, hint: number | undefined, now: number): void {
    this.#refusedAt = now
    const believed = hint !== undefined && hint >= 1 && hint < asked
    this.#most = believed ? hint : Math.max(1, asked >> 1)
  }
}
