/** Circuit breaker of an endpoint, with a backoff that grows each time the half-open probe fails. */

const FIRST_MS = 1_000
const LONGEST_MS = 60_000
/** Longest backoff if no other endpoint is available, because a longer one would gain nothing. */
const LONGEST_ALONE_MS = 5_000
/** After this long, the next failure starts again with the shortest backoff. */
const RESET_AFTER_MS = 60_000

export class EndpointCircuitBreaker {
  #failures = 0
  #failedAt = 0
  #openUntil = 0
  #hasRetryAfter = false
  #closedSince: number | undefined = 0
  /** True while the half-open probe is in flight. */
  isProbing = false

  get isClosed(): boolean {
    return this.#closedSince !== undefined
  }

  /**
   * True if the half-open probe may be sent.
   * @param alone true if no other endpoint is available
   */
  isProbeDue(now: number, alone: boolean): boolean {
    if (this.isClosed || this.isProbing) return false
    if (now >= this.#openUntil) return true
    return alone && !this.#hasRetryAfter && now >= this.#failedAt + LONGEST_ALONE_MS
  }

  /**
   * Opens the circuit breaker.
   * @param random random number in [0, 1), for jitter to avoid a thundering herd
   * @param retryAfterMs from the `Retry-After` header
   * @returns the backoff in milliseconds; undefined if the breaker was open, because concurrent requests fail together
   */
  recordFailure(now: number, random: number, retryAfterMs?: number): number | undefined {
    if (!this.isClosed && !this.isProbing && now < this.#openUntil) return undefined
    if (this.#closedSince !== undefined && now - this.#closedSince >= RESET_AFTER_MS)
      this.#failures = 0
    const grown = Math.min(FIRST_MS * 2 ** Math.min(this.#failures, 10), LONGEST_MS)
    const ms = Math.max(grown * (0.75 + random / 4), retryAfterMs ?? 0)
    this.#failures++
    this.#failedAt = now
    this.#openUntil = now + ms
    this.#hasRetryAfter = retryAfterMs !== undefined
    this.#closedSince = undefined
    return ms
  }

  /** Closes the circuit breaker. Returns true if it was open until now. */
  recordSuccess(now: number): boolean {
    if (this.#closedSince !== undefined) return false
    this.#closedSince = now
    return true
  }
}
