/**
 * Run durations are stored for one to two periods of this length, so that the estimate adapts when an action changes.
 */
const RECENT_MS = 10 * 60 * 1000

/**
 * A run initially reserves the duration of the longest recent run, multiplied by this factor, plus the margin below.
 */
const TIMES_LONGEST = 2
const BEYOND_LONGEST_MS = 1_000

/** A place in the queue of runs that wait for other runs to finish. */
export type Place = { wake: () => void }

export type PairRun = {
  /** Called if another run of the same key and action is in flight at the same time. */
  joined: () => void
}

/**
 * The runs of one action by one key in this process: the runs in flight, the waiting runs, and the recent durations.
 */
export class PairRuns {
  /** Monotonic time before which the allowance is not checked again after it was found exhausted. */
  spentUntil = Number.NEGATIVE_INFINITY
  /** Number of events so far that may have freed allowance. */
  changes = 0
  readonly #running = new Set<PairRun>()
  readonly #line: Place[] = []
  #longestMs: number | undefined
  #longestBeforeMs: number | undefined
  #since = Number.NEGATIVE_INFINITY

  /** True if no run is in flight or waiting. */
  get isIdle(): boolean {
    return this.#running.size === 0 && this.#line.length === 0
  }

  get hasNoLine(): boolean {
    return this.#line.length === 0
  }

  /**
   * Estimates how many milliseconds a run should reserve so that it is rarely stopped before it finishes. If there were
   * no recent runs, returns the run's whole time limit.
   */
  estimateMs(wallMs: number, now: number): number {
    this.#turn(now)
    const longest = Math.max(this.#longestMs ?? -1, this.#longestBeforeMs ?? -1)
    if (longest < 0) return wallMs
    return Math.min(wallMs, Math.ceil(TIMES_LONGEST * longest) + BEYOND_LONGEST_MS)
  }

  /** Registers an admitted run. If other runs are in flight, marks them and the new run as overlapping. */
  begun(run: PairRun): void {
    for (const other of this.#running) other.joined()
    if (this.#running.size > 0) run.joined()
    this.#running.add(run)
  }

  /**
   * Removes a run that has finished or was released.
   * @param ms duration of the run in milliseconds; undefined if the run never started
   */
  ended(run: PairRun, ms: number | undefined, now: number): void {
    this.#running.delete(run)
    if (ms !== undefined) {
      this.#turn(now)
      this.#longestMs = Math.max(this.#longestMs ?? 0, ms)
    }
    this.#changed()
  }

  join(): Place {
    const place = { wake: () => {} }
    this.#line.push(place)
    return place
  }

  isFirst(place: Place): boolean {
    return this.#line[0] === place
  }

  leave(place: Place): void {
    this.#line.splice(this.#line.indexOf(place), 1)
    this.#changed()
  }

  #changed(): void {
    this.changes++
    this.#line[0]?.wake()
  }

  #turn(now: number): void {
    if (now - this.#since < RECENT_MS) return
    // Discards durations that are older than two periods.
    this.#longestBeforeMs = now - this.#since < 2 * RECENT_MS ? this.#longestMs : undefined
    this.#longestMs = undefined
    this.#since = now
  }
}
