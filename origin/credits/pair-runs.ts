import type { AllowedRun } from './allowed-run.ts'

/** How long runs take is remembered for one to two of these: who has changed is soon known anew. */
const RECENT_MS = 10 * 60 * 1000

/** A run may take so much longer than the longest of its kind lately, before it has to ask for more. */
const TIMES_LONGEST = 2
const BEYOND_LONGEST_MS = 1_000

/** Somebody who waits for runs under way to end. */
export type Place = { wake: () => void }

/** The runs of one action by one key at this process: those under way, who waits for them, how long they take. */
export class PairRuns {
  /** The allowance was spent when it was last looked at: nobody asks again before then. */
  spentUntil = Number.NEGATIVE_INFINITY
  /** Counts what may have made room. */
  changes = 0
  readonly #running = new Set<AllowedRun>()
  readonly #line: Place[] = []
  #longestMs: number | undefined
  #longestBeforeMs: number | undefined
  #since = Number.NEGATIVE_INFINITY

  /** True where nothing of it is under way. */
  get isIdle(): boolean {
    return this.#running.size === 0 && this.#line.length === 0
  }

  /** True where nobody waits. */
  get hasNoLine(): boolean {
    return this.#line.length === 0
  }

  /** What a run reserves, so that it is seldom stopped on its way; as long as it may take where nothing is known. */
  estimateMs(wallMs: number, now: number): number {
    this.#turn(now)
    const longest = Math.max(this.#longestMs ?? -1, this.#longestBeforeMs ?? -1)
    if (longest < 0) return wallMs
    return Math.min(wallMs, Math.ceil(TIMES_LONGEST * longest) + BEYOND_LONGEST_MS)
  }

  /** A run was let in: neither it nor those under way are alone. */
  begun(run: AllowedRun): void {
    for (const other of this.#running) other.joined()
    if (this.#running.size > 0) run.joined()
    this.#running.add(run)
  }

  /** @param ms how long it took; `undefined` where it was never begun */
  ended(run: AllowedRun, ms: number | undefined, now: number): void {
    this.#running.delete(run)
    if (ms !== undefined) {
      this.#turn(now)
      this.#longestMs = Math.max(this.#longestMs ?? 0, ms)
    }
    this.#changed()
  }

  /** Takes a place in the line. */
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
    // What is older than two spans says nothing of today.
    this.#longestBeforeMs = now - this.#since < 2 * RECENT_MS ? this.#longestMs : undefined
    this.#longestMs = undefined
    this.#since = now
  }
}
