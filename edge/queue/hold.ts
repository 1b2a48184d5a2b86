import { isOver, type Wait } from './waits.ts'

/**
 * Holds back runs that would be refused before they start. When the wait is over, one run is sent as a half-open probe;
 * sending more would only repeat the refusal.
 */
export class Hold {
  #wait: Wait | undefined
  /** The run that was sent as the half-open probe. */
  #look: number | undefined

  get holding(): boolean {
    return this.#wait !== undefined
  }

  /** When the next probe is due, Unix milliseconds; Infinity while nothing is held. */
  get until(): number {
    return this.#wait?.until ?? Number.POSITIVE_INFINITY
  }

  /** Returns when a run may be sent; Infinity while the half-open probe is in flight. */
  opensAt(now: number): number {
    if (!this.#wait) return now
    if (!isOver(this.#wait, now)) return this.#wait.until
    return this.#look === undefined ? now : Number.POSITIVE_INFINITY
  }

  /** Records that a run was sent. It is the probe if runs are held. */
  sent(run: number): void {
    if (this.#wait) this.#look = run
  }

  /** Records that no response to this run is expected any more. */
  left(run: number): void {
    if (this.#look === run) this.#look = undefined
  }

  /**
   * Records a refusal. Refusals of runs that were in flight together count as one.
   * @returns true if this refusal sets the wait
   */
  refused(run: number, wait: Wait): boolean {
    if (this.#wait && this.#look !== run && !isOver(this.#wait, wait.since)) return false
    this.#wait = wait
    return true
  }

  /** Records that a run started. If it was the probe, the hold is lifted. */
  begun(run: number): void {
    if (this.#look === run) this.lift()
  }

  lift(): void {
    this.#wait = undefined
    this.#look = undefined
  }
}
