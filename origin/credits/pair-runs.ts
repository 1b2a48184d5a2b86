/** Durations are kept for one to two periods, so that the estimate adapts when an action changes. */
const RECENT_MS = 10 * 60 * 1000

/** Initial reservation: the longest recent duration times this factor, plus the margin below. */
const TIMES_LONGEST = 2
const BEYOND_LONGEST_MS = 1_000

export type Place = { wake: () => void }

export type PairRun = {
  /** Called if a run of the same pair is in flight at the same time. */
  joined: () => void
}

/** One action by one key, in this process. */
export class PairRuns {
  /** Monotonic time until which an exhausted allowance is not checked again. */
  spentUntil = Number.NEGATIVE_INFINITY
  /** Counts events that may have freed allowance. */
  changes = 0
  readonly #running = new Set<PairRun>()
  readonly #line: Place[] = []
  #longestMs: number | undefined
  #longestBeforeMs: number | undefined
  #since = Number.NEGATIVE_INFINITY

  get isIdle(): boolean {
    return this.#running.size === 0 && this.#line.length === 0
  }

  get hasNoLine(): boolean {
    return this.#line.length === 0
  }

  /**
   * Reservation with which a run is rarely stopped before it finishes. Without recent runs, the run's whole time limit.
   */
  estimateMs(wallMs: number, now: number): number {
    this.#turn(now)
    const longest = Math.max(this.#longestMs ?? -1, this.#longestBeforeMs ?? -1)
    if (longest < 0) return wallMs
    return Math.min(wallMs, Math.ceil(TIMES_LONGEST * longest) + BEYOND_LONGEST_MS)
  }

  /** Also marks this run and the runs in flight as overlapping. */
  begun(run: PairRun): void {
    for (const other of this.#running) other.joined()
    if (this.#running.size > 0) run.joined()
    this.#running.add(run)
  }

  /** @param ms undefined if the run never started */
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
    // Discards durations older than two periods.
    this.#longestBeforeMs = now - this.#since < 2 * RECENT_MS ? this.#longestMs : undefined
    this.#longestMs = undefined
    this.#since = now
  }
}
