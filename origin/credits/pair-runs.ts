import type { AllowedRun } from './allowed-run.ts'

/** Run durations are remembered for one to two of these periods, so that a changed action is noticed soon. */
const RECENT_MS = 10 * 60 * 1000

/** A run first reserves this multiple of the longest recent run of its kind, plus the margin below. */
const TIMES_LONGEST = 2
const BEYOND_LONGEST_MS = 1_000

/** A place in the line of runs that wait for runs in flight to finish. */
export type Place = { wake: () => void }

/** The runs of one action by one key in this process: those in flight, those waiting, and their durations. */
export class PairRuns {
  /** Time of the next check after the allowance was found spent. */
  spentUntil = Number.NEGATIVE_INFINITY
  /** Counts events that may have freed allowance. */
  changes = 0
  readonly #running = new Set<AllowedRun>()
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
   * Milliseconds that a run should reserve so that it is rarely stopped midway. Without recent runs, the whole limit.
   */
  estimateMs(wallMs: number, now: number): number {
    this.#turn(now)
    const longest = Math.max(this.#longestMs ?? -1, this.#longestBeforeMs ?? -1)
    if (longest < 0) return wallMs
    return Math.min(wallMs, Math.ceil(TIMES_LONGEST * longest) + BEYOND_LONGEST_MS)
  }

  /** Registers an admitted run, and marks all runs in flight as overlapping. */
  begun(run: AllowedRun): void {
    for (const other of this.#running) other.joined()
    if (this.#running.size > 0) run.joined()
    this.#running.add(run)
  }

  /** @param ms duration of the run; undefined if it never started */
  ended(run: AllowedRun, ms: number | undefined, now: number): void {
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
    // Durations older than two periods are no longer relevant.
    this.#longestBeforeMs = now - this.#since < 2 * RECENT_MS ? this.#longestMs : undefined
    this.#longestMs = undefined
    this.#since = now
  }
}
