import { isPast, type Deadline } from './deadline.ts'

const BACKOFF_MIN_MS = 500
const BACKOFF_MAX_MS = 60_000

const NO_BACKOFF: Deadline = { since: Number.NEGATIVE_INFINITY, until: Number.NEGATIVE_INFINITY }

/**
 * Circuit breaker for an origin that does not respond. The backoff doubles from half a second to a minute, with jitter
 * so that the queues of all triggers do not retry at the same moment.
 */
export class OriginBreaker {
  #failures = 0
  #wait = NO_BACKOFF
  /** Sequence number of the half-open probe; undefined if no probe is in flight. */
  #probe: number | undefined

  /** True while the circuit breaker is not closed. Runs are then sent one at a time, as probes. */
  get isTripped(): boolean {
    return this.#failures > 0
  }

  /** End of the backoff, in Unix milliseconds. */
  get until(): number {
    return this.#wait.until
  }

  /** Earliest time at which a run may be sent. Infinity while the half-open probe is in flight. */
  allowedAt(now: number): number {
    if (!this.isBackoffOver(now)) return this.#wait.until
    return this.isTripped && this.#probe !== undefined ? Number.POSITIVE_INFINITY : now
  }

  /** True if the backoff has ended, so that the origin may be called again. */
  isBackoffOver(now: number): boolean {
    return isPast(this.#wait, now)
  }

  /** Unless the circuit breaker is closed, the sent run is the half-open probe. */
  recordSent(run: number): void {
    if (this.isTripped) this.#probe = run
  }

  /**
   * Called when no response to the run is expected any more. If the run was the probe, another run may become the
   * probe.
   */
  recordDone(run: number): void {
    if (this.#probe === run) this.#probe = undefined
  }

  /**
   * Starts or extends the backoff.
   * @param retryAfterMs the delay that the origin requested, if it responded
   */
  recordFailure(now: number, random: number, retryAfterMs = 0): void {
    // Runs that were in flight together fail together. Their failures count as one, so the backoff doubles only once.
    if (!this.isBackoffOver(now)) {
      const until = Math.max(this.#wait.until, now + retryAfterMs)
      this.#wait = { since: this.#wait.since, until }
      return
    }
    const step = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** Math.min(this.#failures, 10))
    this.#failures++
    const until = now + Math.round(Math.max(retryAfterMs, step * (0.5 + random / 2)))
    this.#wait = { since: now, until }
  }

  /** Called after an eviction during an outage. The origin may be called again when `wait` is over. */
  resume(wait: Deadline = NO_BACKOFF): void {
    this.#failures = 1
    this.#wait = wait
  }

  recordSuccess(): void {
    this.#failures = 0
    this.#wait = NO_BACKOFF
    this.#probe = undefined
  }
}
