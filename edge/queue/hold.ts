import { isOver, type Wait } from './waits.ts'

/**
 * Holds back runs that the origin would refuse to start. When the wait is over, one run is sent as a half-open probe,
 * because sending more runs would only repeat the refusal.
 */
export class Hold {
  #wait: Wait | undefined
  /** Sequence number of the half-open probe; undefined if no probe is in flight. */
  #look: number | undefined

  get holding(): boolean {
    return this.#wait !== undefined
  }

  /** Time at which the next probe is due, in Unix milliseconds. Infinity if no runs are being held back. */
  get until(): number {
    return this.#wait?.until ?? Number.POSITIVE_INFINITY
  }

  /** Earliest time at which a run may be sent. Infinity while the half-open probe is in flight. */
  opensAt(now: number): number {
    if (!this.#wait) return now
    if (!isOver(this.#wait, now)) return this.#wait.until
    return this.#look === undefined ? now : Number.POSITIVE_INFINITY
  }

  /** If runs are being held back, the sent run is the half-open probe. */
  sent(run: number): void {
    if (this.#wait) this.#look = run
  }

  /**
   * Called when no response to the run is expected any more. If the run was the probe, another run may become the
   * probe.
   */
  left(run: number): void {
    if (this.#look === run) this.#look = undefined
  }

  /**
   * Refusals of runs that were in flight together count as one.
   * @returns true if the hold now uses the given wait, false if it keeps the wait of an earlier refusal
   */
  refused(run: number, wait: Wait): boolean {
    if (this.#wait && this.#look !== run && !isOver(this.#wait, wait.since)) return false
    this.#wait = wait
    return true
  }

  /** If the run was the probe, its start lifts the hold. */
  begun(run: number): void {
    if (this.#look === run) this.lift()
  }

  lift(): void {
    this.#wait = undefined
    this.#look = undefined
  }
}
