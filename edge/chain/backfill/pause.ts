const FIRST_MS = 250

/** Longer would be late when the other side is back. */
const LONGEST_MS = 15_000

/** How long somebody who has failed is left alone: doubling, with jitter, from a quarter of a second to 15 s. */
export class Pause {
  #failures = 0
  #until = Number.NEGATIVE_INFINITY

  /** Unix milliseconds; in the past, where there is no pause. */
  get until(): number {
    return this.#until
  }

  /** @param now a clock that was set back does not make the pause longer than it was meant */
  isOver(now: number): boolean {
    return now >= this.#until || now < this.#until - LONGEST_MS
  }

  /** @param random in [0, 1) */
  failed(now: number, random: number): void {
    // What was under way together fails together: that is one failure.
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
