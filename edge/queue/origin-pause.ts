import { isOver, type Wait } from './waits.ts'

const FIRST_MS = 500
const LONGEST_MS = 60_000

const NEVER: Wait = { since: Number.NEGATIVE_INFINITY, until: Number.NEGATIVE_INFINITY }

/**
 * Circuit breaker for an origin that does not respond. The backoff doubles from half a second to a minute, with jitter
 * so that the queues of all triggers do not retry at the same moment.
 */
export class OriginPause {
  #failures = 0
  #wait = NEVER
  /** The run that was sent as the half-open probe. */
  #probe: number | undefined

  /** True while the circuit breaker is not closed. Runs are then sent one at a time, as probes. */
  get probing(): boolean {
    return this.#failures > 0
  }

  /** When the backoff is over, Unix milliseconds. */
  get until(): number {
    return this.#wait.until
  }

  /** Returns when a run may be sent; Infinity while the half-open probe is in flight. */
  opensAt(now: number): number {
    if (!this.over(now)) return this.#wait.until
    return this.probing && this.#probe !== undefined ? Number.POSITIVE_INFINITY : now
  }

  /** Returns true if the backoff is over, so that the origin may be called. */
  over(now: number): boolean {
    return isOver(this.#wait, now)
  }

  /** Records that a run was sent. It is the probe unless the circuit breaker is closed. */
  sent(run: number): void {
    if (this.probing) this.#probe = run
  }

  /** Records that no response to this run is expected any more. */
  left(run: number): void {
    if (this.#probe === run) this.#probe = undefined
  }

  /** @param retryAfterMs the delay that the origin requested, if it responded */
  failed(now: number, random: number, retryAfterMs = 0): void {
    // Runs that were in flight together fail together. This counts as one failure and doubles the backoff once.
    if (!this.over(now)) {
      const until = Math.max(this.#wait.until, now + retryAfterMs)
      this.#wait = { since: this.#wait.since, until }
      return
    }
    const step = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(this.#failures, 10))
    this.#failures++
    const until = now + Math.round(Math.max(retryAfterMs, step * (0.5 + random / 2)))
    this.#wait = { since: now, until }
  }

  /** Restores the state after eviction: the origin was unavailable, and may be called again after this wait. */
  resume(wait: Wait = NEVER): void {
    this.#failures = 1
    this.#wait = wait
  }

  answered(): void {
    this.#failures = 0
    this.#wait = NEVER
    this.#probe = undefined
  }
}
