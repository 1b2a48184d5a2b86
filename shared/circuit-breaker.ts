import { isPast, type Deadline } from './deadline.ts'

/**
 * Circuit breaker with a half-open probe. It stays open until a deadline. After the deadline, a single call decides
 * whether the circuit breaker closes. Subclasses count failures and choose the deadline.
 */
export class CircuitBreaker<CallId> {
  #deadline: Deadline | undefined
  #probe: CallId | undefined

  /** True while the circuit breaker is open or half-open. */
  get isTripped(): boolean {
    return this.#deadline !== undefined
  }

  get isProbing(): boolean {
    return this.#probe !== undefined
  }

  /** Time at which the next probe may be sent, in Unix milliseconds; in the past if the circuit breaker is closed. */
  get until(): number {
    return this.#deadline?.until ?? Number.NEGATIVE_INFINITY
  }

  isWaitOver(now: number): boolean {
    return !this.#deadline || isPast(this.#deadline, now)
  }

  /** Infinity while the half-open probe is in flight. */
  allowedAt(now: number): number {
    if (!this.isWaitOver(now)) return this.until
    return this.isProbing ? Number.POSITIVE_INFINITY : now
  }

  /** Records that a call was sent. Unless the circuit breaker is closed, the call becomes the half-open probe. */
  recordSent(call: CallId): void {
    if (this.isTripped) this.#probe = call
  }

  /**
   * Called when no further response to the call is expected. If the call was the probe, another call may become the
   * probe.
   */
  recordDone(call: CallId): void {
    if (this.isProbe(call)) this.#probe = undefined
  }

  close(): void {
    this.#deadline = undefined
    this.#probe = undefined
  }

  protected isProbe(call: CallId): boolean {
    return this.#probe === call
  }

  protected open(deadline: Deadline): void {
    this.#deadline = deadline
  }

  protected extend(until: number): void {
    if (this.#deadline) this.#deadline = { ...this.#deadline, until: Math.max(this.until, until) }
  }
}
