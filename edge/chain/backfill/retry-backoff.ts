import { backoffMs, withJitter } from '../../../shared/backoff.ts'
import { isEndPast } from '../../deadline.ts'

const FIRST_MS = 250

/** Maximum backoff. A longer backoff would delay recovery after the other side is available again. */
const LONGEST_MS = 15_000

export class RetryBackoff {
  #failures = 0
  #until = Number.NEGATIVE_INFINITY

  /** End of the backoff, in Unix milliseconds. In the past if no backoff is active. */
  get until(): number {
    return this.#until
  }

  isOver(now: number): boolean {
    return isEndPast(this.#until, LONGEST_MS, now)
  }

  /** @param random number in [0, 1), for jitter */
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
