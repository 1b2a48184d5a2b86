const FIRST_MS = 250

/** A longer backoff would delay the restart after the other side has recovered. */
const LONGEST_MS = 15_000

/** Exponential backoff with jitter. */
export class RetryBackoff {
  #failures = 0
  #until = Number.NEGATIVE_INFINITY

  /** Unix milliseconds; in the past if there is no backoff. */
  get until(): number {
    return this.#until
  }

  /**
   * A clock that was set back does not prolong the backoff.
   * @param now Unix milliseconds
   */
  isOver(now: number): boolean {
    return now >= this.#until || now < this.#until - LONGEST_MS
  }

  /** @param random random number in [0, 1), for jitter */
  failed(now: number, random: number): void {
    // Requests that are in flight at the same time fail together, so they count as one failure.
    if (!this.isOver(now)) return
    const step = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(this.#failures, 10))
    this.#failures++
    this.#until = now + Math.round(step * (0.5 + random / 2))
  }

  succeeded(): void {
    this.#failures = 0
    this.#until = Number.NEGATIVE_INFINITY
  }
}
