import { CircuitBreaker } from '../circuit-breaker.ts'
import type { Deadline } from '../deadline.ts'

/**
 * Circuit breaker for runs that the origin would refuse to start. When the wait is over, one run is sent as a half-open
 * probe, because sending more runs would only repeat the refusal. Calls are identified by the sequence numbers of their
 * runs.
 */
export class ShortageBreaker extends CircuitBreaker<number> {
  /**
   * Records a refusal. Refusals of runs that were in flight together count as one.
   * @returns true if the circuit breaker now applies `wait`, false if it still applies the wait of an earlier refusal
   */
  recordRefusal(run: number, wait: Deadline): boolean {
    if (!this.isProbe(run) && !this.isWaitOver(wait.since)) return false
    this.open(wait)
    return true
  }

  recordStart(run: number): void {
    if (this.isProbe(run)) this.close()
  }
}
