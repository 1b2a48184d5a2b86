import { backoffMs, withJitter } from '../../backoff.ts'
import { isEndPast } from '../../deadline.ts'

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

  /** @param now Unix milliseconds */
  isOver(now: number): boolean {
    return isEndPast(this.#until, LONGEST_MS, now)
  }

  /** @param random random number in [0, 1), for jitter */
  failed(now: number, random: number): void {
    // Requests that are in flight at the same time fail together, so they count as one failure.
    if (!this.isOver(now)) return
    const backoff = withJitter(backoffMs(this.#failures, FIRST_MS, LONGEST_MS), random)
    this.#failures++
    this.#until = now + Math.round(backoff)
  }

  succeeded(): void {
    this.#failures = 0
    this.#until = Number.NEGATIVE_INFINITY
  }
}
