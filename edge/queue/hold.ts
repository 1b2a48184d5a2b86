import { isOver, type Wait } from './waits.ts'

/**
 * Holds back runs that would be refused before they began: one of them is sent when the wait is over, to see. What is
 * not told with the first refusal is not told with a hundred.
 */
export class Hold {
  #wait: Wait | undefined
  /** The run that was sent to see. */
  #look: number | undefined

  get holding(): boolean {
    return this.#wait !== undefined
  }

  /** When the next look is due, Unix milliseconds; never while nothing is held. */
  get until(): number {
    return this.#wait?.until ?? Number.POSITIVE_INFINITY
  }

  /** When a run may be sent: infinite while the one that was sent to see has not been answered. */
  opensAt(now: number): number {
    if (!this.#wait) return now
    if (!isOver(this.#wait, now)) return this.#wait.until
    return this.#look === undefined ? now : Number.POSITIVE_INFINITY
  }

  /** A run is sent. */
  sent(run: number): void {
    if (this.#wait) this.#look = run
  }

  /** Nobody waits for this run's answer any more. */
  left(run: number): void {
    if (this.#look === run) this.#look = undefined
  }

  /**
   * A run was refused. Those that were under way together are one refusal.
   * @returns whether this one says how long the wait is
   */
  refused(run: number, wait: Wait): boolean {
    if (this.#wait && this.#look !== run && !isOver(this.#wait, wait.since)) return false
    this.#wait = wait
    return true
  }

  /** A run was begun: where it was sent to see, the others may be. */
  begun(run: number): void {
    if (this.#look === run) this.lift()
  }

  lift(): void {
    this.#wait = undefined
    this.#look = undefined
  }
}
