const FIRST_MS = 250

/** Longest backoff. A longer one would delay the restart after the other side has recovered. */
const LONGEST_MS = 15_000

/** Exponential backoff with jitter, doubling from 250 ms to 15 s. */
export class Pause {
  #failures = 0
  #until = Number.NEGATIVE_INFINITY

  /** Time at which the backoff ends, in Unix milliseconds. It is in the past if there is no backoff. */
  get until(): number {
    return this.#until
  }

  /**
   * Returns true if there is no backoff or it has ended. A clock that was set back does not prolong the backoff.
   * @param now Unix milliseconds
   */
  isOver(now: number): boolean {
    return now >= this.#until || now < this.#until - LONGEST_MS
  }

  /**
   * Records a failure, and starts a backoff.
   * @param random random number in [0, 1), for jitter
   */
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
