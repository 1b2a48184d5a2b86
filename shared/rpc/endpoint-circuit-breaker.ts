import { backoffMs, withJitter } from '../backoff.ts'
import { CircuitBreaker } from '../circuit-breaker.ts'

const FIRST_MS = 1_000
const LONGEST_MS = 60_000
/** Maximum backoff if no other endpoint is available. Waiting longer would gain nothing. */
const LONGEST_ALONE_MS = 5_000
/** Time without failures after which the next failure starts with the shortest backoff again. */
const RESET_AFTER_MS = 60_000

/** The backoff grows each time the half-open probe fails. */
export class EndpointCircuitBreaker extends CircuitBreaker<symbol> {
  #failures = 0
  #failedAt = 0
  #hasRetryAfter = false
  #closedAt = 0

  /** @param alone true if no other endpoint is available */
  isProbeDue(now: number, alone: boolean): boolean {
    if (!this.isTripped || this.isProbing) return false
    if (this.isWaitOver(now)) return true
    return alone && !this.#hasRetryAfter && now >= this.#failedAt + LONGEST_ALONE_MS
  }

  /**
   * @param random number in [0, 1), for jitter
   * @returns the backoff in milliseconds, or undefined if the breaker was already open because concurrent requests
   *   failed together
   */
  recordFailure(now: number, random: number, retryAfterMs?: number): number | undefined {
    if (!this.isProbing && !this.isWaitOver(now)) return undefined
    if (!this.isTripped && now - this.#closedAt >= RESET_AFTER_MS) this.#failures = 0
    const backoff = withJitter(backoffMs(this.#failures, FIRST_MS, LONGEST_MS), random, 0.75)
    const ms = Math.max(backoff, retryAfterMs ?? 0)
    this.#failures++
    this.#failedAt = now
    this.#hasRetryAfter = retryAfterMs !== undefined
    this.open({ since: now, until: now + ms })
    return ms
  }

  recordSuccess(now: number): boolean {
    if (!this.isTripped) return false
    this.close()
    this.#closedAt = now
    return true
  }
}
