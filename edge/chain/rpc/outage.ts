/** Circuit breaker of an endpoint, with a backoff that grows each time the half-open probe fails. */

const FIRST_MS = 1_000
const LONGEST_MS = 60_000
/** Longest backoff if no other endpoint is available, because a longer one would gain nothing. */
const LONGEST_ALONE_MS = 5_000
/** After this long, the next failure starts again with the shortest backoff. */
const WELL_AGAIN_MS = 60_000

export class Outage {
  #failures = 0
  #failedAt = 0
  #until = 0
  #askedToWait = false
  #wellSince: number | undefined = 0
  /** True while the half-open probe is in flight. */
  isTried = false

  get isOver(): boolean {
    return this.#wellSince !== undefined
  }

  /**
   * True if the half-open probe may be sent.
   * @param alone true if no other endpoint is available
   */
  isDue(now: number, alone: boolean): boolean {
    if (this.isOver || this.isTried) return false
    if (now >= this.#until) return true
    return alone && !this.#askedToWait && now >= this.#failedAt + LONGEST_ALONE_MS
  }

  /**
   * Opens the circuit breaker.
   * @param random random number in [0, 1), for jitter to avoid a thundering herd
   * @param retryAfterMs from the `Retry-After` header
   * @returns the backoff in milliseconds; undefined if the breaker was open, because concurrent requests fail together
   */
  failed(now: number, random: number, retryAfterMs?: number): number | undefined {
    if (!this.isOver && !this.isTried && now < this.#until) return undefined
    if (this.#wellSince !== undefined && now - this.#wellSince >= WELL_AGAIN_MS) this.#failures = 0
    const grown = Math.min(FIRST_MS * 2 ** Math.min(this.#failures, 10), LONGEST_MS)
    const ms = Math.max(grown * (0.75 + random / 4), retryAfterMs ?? 0)
    this.#failures++
    this.#failedAt = now
    this.#until = now + ms
    this.#askedToWait = retryAfterMs !== undefined
    this.#wellSince = undefined
    return ms
  }

  /** Closes the circuit breaker. Returns true if it was open until now. */
  answered(now: number): boolean {
    if (this.#wellSince !== undefined) return false
    this.#wellSince = now
    return true
  }
}
