import { isPast, type Deadline } from './deadline.ts'

/**
 * Holds back runs that the origin would refuse to start. When the wait is over, one run is sent as a half-open probe,
 * because sending more runs would only repeat the refusal.
 */
export class ShortageBreaker {
  #wait: Deadline | undefined
  /** Sequence number of the half-open probe; undefined if no probe is in flight. */
  #probe: number | undefined

  get isTripped(): boolean {
    return this.#wait !== undefined
  }

  /** Time at which the next probe is due, in Unix milliseconds. Infinity if no runs are being held back. */
  get until(): number {
    return this.#wait?.until ?? Number.POSITIVE_INFINITY
  }

  /** Earliest time at which a run may be sent. Infinity while the half-open probe is in flight. */
  allowedAt(now: number): number {
    if (!this.#wait) return now
    if (!isPast(this.#wait, now)) return this.#wait.until
    return this.#probe === undefined ? now : Number.POSITIVE_INFINITY
  }

  /** If runs are being held back, the sent run is the half-open probe. */
  recordSent(run: number): void {
    if (this.#wait) this.#probe = run
  }

  /**
   * Called when no response to the run is expected any more. If the run was the probe, another run may become the
   * probe.
   */
  recordDone(run: number): void {
    if (this.#probe === run) this.#probe = undefined
  }

  /**
   * Refusals of runs that were in flight together count as one.
   * @returns true if the hold now uses the given wait, false if it keeps the wait of an earlier refusal
   */
  recordRefusal(run: number, wait: Deadline): boolean {
    if (this.#wait && this.#probe !== run && !isPast(this.#wait, wait.since)) return false
    this.#wait = wait
    return true
  }

  /** If the run was the probe, its start lifts the hold. */
  recordStart(run: number): void {
    if (this.#probe === run) this.close()
  }

  close(): void {
    this.#wait = undefined
    this.#probe = undefined
  }
}
