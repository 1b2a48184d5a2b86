/**
 * How long a queue leaves an origin alone that did not answer: doubling from half a second to a minute, with
 * jitter, so that the queues of all triggers do not come back at the same moment.
 */
const FIRST_MS = 500
const LONGEST_MS = 60_000

export class OriginPause {
  #failures = 0
  #until = Number.NEGATIVE_INFINITY

  /** While this is true one run at a time is sent, to see whether the origin is back. */
  get probing(): boolean {
    return this.#failures > 0
  }

  /** When the origin may be asked again. */
  get until(): number {
    return this.#until
  }

  /** @param retryAfterMs what the origin asked for, if it answered at all */
  failed(now: number, random: number, retryAfterMs = 0): void {
    // Runs that were under way together fail together: that is one failure, not a step of the doubling for each.
    if (now < this.#until) {
      this.#until = Math.max(this.#until, now + retryAfterMs)
      return
    }
    const step = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(this.#failures, 10))
    this.#failures++
    this.#until = now + Math.round(Math.max(retryAfterMs, step * (0.5 + random / 2)))
  }

  answered(): void {
    this.#failures = 0
    this.#until = Number.NEGATIVE_INFINITY
  }
}
