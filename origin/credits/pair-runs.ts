import { MINUTE_MS } from '../../shared/durations.ts'

/**
 * Run durations are stored for one to two periods of this length, so that the estimate adapts when an action changes.
 */
const PERIOD_MS = 10 * MINUTE_MS

/** Initial reservation: the longest recent duration times `LONGEST_FACTOR`, plus `LONGEST_MARGIN_MS`. */
const LONGEST_FACTOR = 2
const LONGEST_MARGIN_MS = 1_000

export type RunWaiter = { wake: () => void }

type PairRun = {
  /** Called if another run of the same key and action is in flight at the same time. */
  markOverlapping: () => void
}

/** Runs of one action with one key in this process. */
export class PairRuns {
  /** Monotonic time until which an exhausted allowance is not checked again. */
  exhaustedUntil = Number.NEGATIVE_INFINITY
  /** Number of events that may have released allowance. */
  changes = 0
  readonly #running = new Set<PairRun>()
  readonly #queue: RunWaiter[] = []
  #longestMs: number | undefined
  #previousLongestMs: number | undefined
  #periodStart = Number.NEGATIVE_INFINITY

  get isIdle(): boolean {
    return this.#running.size === 0 && this.#queue.length === 0
  }

  get isQueueEmpty(): boolean {
    return this.#queue.length === 0
  }

  /**
   * Estimates the reservation, in milliseconds, with which a run is rarely stopped before it finishes. Without recent
   * runs, returns the run's whole time limit.
   */
  estimateMs(wallMs: number, now: number): number {
    this.#rotatePeriod(now)
    const longest = Math.max(this.#longestMs ?? -1, this.#previousLongestMs ?? -1)
    if (longest < 0) return wallMs
    return Math.min(wallMs, Math.ceil(LONGEST_FACTOR * longest) + LONGEST_MARGIN_MS)
  }

  addRun(run: PairRun): void {
    for (const other of this.#running) other.markOverlapping()
    if (this.#running.size > 0) run.markOverlapping()
    this.#running.add(run)
  }

  /** @param ms duration of the run, or undefined if the run never started */
  recordEnd(run: PairRun, ms: number | undefined, now: number): void {
    this.#running.delete(run)
    if (ms !== undefined) {
      this.#rotatePeriod(now)
      this.#longestMs = Math.max(this.#longestMs ?? 0, ms)
    }
    this.#notifyFirst()
  }

  enqueue(): RunWaiter {
    const waiter = { wake: () => {} }
    this.#queue.push(waiter)
    return waiter
  }

  isFirst(waiter: RunWaiter): boolean {
    return this.#queue[0] === waiter
  }

  dequeue(waiter: RunWaiter): void {
    this.#queue.splice(this.#queue.indexOf(waiter), 1)
    this.#notifyFirst()
  }

  #notifyFirst(): void {
    this.changes++
    this.#queue[0]?.wake()
  }

  #rotatePeriod(now: number): void {
    if (now - this.#periodStart < PERIOD_MS) return
    this.#previousLongestMs = now - this.#periodStart < 2 * PERIOD_MS ? this.#longestMs : undefined
    this.#longestMs = undefined
    this.#periodStart = now
  }
}
