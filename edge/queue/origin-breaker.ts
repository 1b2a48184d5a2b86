import { backoffMs, withJitter } from '../../shared/backoff.ts'
import { CircuitBreaker } from '../../shared/circuit-breaker.ts'
import type { Deadline } from '../../shared/deadline.ts'

const BACKOFF_MIN_MS = 500
const BACKOFF_MAX_MS = 60_000

const ALREADY_OVER: Deadline = { since: Number.NEGATIVE_INFINITY, until: Number.NEGATIVE_INFINITY }

/**
 * Circuit breaker for an origin that does not respond. The backoff doubles from half a second to a minute, with jitter
 * so that the queues of all triggers do not retry at the same moment. Calls are identified by the sequence numbers of
 * their runs.
 */
export class OriginBreaker extends CircuitBreaker<number> {
  #failures = 0

  /** @param retryAfterMs the delay that the origin requested, if it responded */
  recordFailure(now: number, random: number, retryAfterMs = 0): void {
    // Runs that were in flight together fail together. Their failures count as one, so the backoff doubles only once.
    if (!this.isWaitOver(now)) return this.extend(now + retryAfterMs)
    const backoff = withJitter(backoffMs(this.#failures, BACKOFF_MIN_MS, BACKOFF_MAX_MS), random)
    this.#failures++
    this.open({ since: now, until: now + Math.round(Math.max(retryAfterMs, backoff)) })
  }

  /** Opens the circuit breaker after an eviction during an outage. */
  resume(wait: Deadline = ALREADY_OVER): void {
    this.#failures = 1
    this.open(wait)
  }

  recordSuccess(): void {
    this.#failures = 0
    this.close()
  }
}
