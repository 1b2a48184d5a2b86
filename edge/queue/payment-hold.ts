import { isOver, type Wait } from './waits.ts'

type Hold = {
  /** The usage key that has no credit: another one may have. */
  usageKey: number
  wait: Wait
}

/**
 * Holds all runs of a trigger back that has no credit (`decisions.md`, 402): one of them is sent when the wait is
 * over, to see. What is not told with the first refusal is not told with a hundred.
 */
export class PaymentHold {
  #hold: Hold | undefined
  /** The run that was sent to see. */
  #look: number | undefined

  get holding(): boolean {
    return this.#hold !== undefined
  }

  /** When the next look is due, Unix milliseconds; never while nothing is held. */
  get until(): number {
    return this.#hold?.wait.until ?? Number.POSITIVE_INFINITY
  }

  /** When a run may be sent under this key: infinite while the one that was sent to see has not been answered. */
  opensAt(usageKey: number, now: number): number {
    if (this.#hold && this.#hold.usageKey !== usageKey) this.lift()
    if (!this.#hold) return now
    if (!isOver(this.#hold.wait, now)) return this.#hold.wait.until
    return this.#look === undefined ? now : Number.POSITIVE_INFINITY
  }

  /** A run is sent. */
  sent(run: number): void {
    if (this.#hold) this.#look = run
  }

  /** Nobody waits for this run's answer any more. */
  left(run: number): void {
    if (this.#look === run) this.#look = undefined
  }

  /** A run was refused for want of payment. Those that were under way together are one refusal. */
  refused(run: number, hold: Hold): void {
    if (this.#hold && this.#look !== run && !isOver(this.#hold.wait, hold.wait.since)) return
    this.#hold = hold
  }

  /** A run was begun: where it was sent to see, the others may be. */
  begun(run: number): void {
    if (this.#look === run) this.lift()
  }

  lift(): void {
    this.#hold = undefined
    this.#look = undefined
  }
}
