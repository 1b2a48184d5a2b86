import type { Budget } from './budget.ts'
import type { PairRuns } from './pair-runs.ts'
import { NoAllowanceLeft } from './shortage.ts'

/** What all runs of an account reserve, and each needs at least: a second, like credit. */
export const STEP_MS = 1_000

export type AllowedRunOptions = {
  /** Of its key and action, and of the account. */
  pair: Budget
  all: Budget
  runs: PairRuns
  wallMs: number
  now: () => number
  /** Reserved for it already. */
  pairMs: number
  allMs: number
}

/**
 * A run that may fail: milliseconds of the allowance that are reserved for it until it ends. Only a failed one uses
 * them.
 */
export class AllowedRun {
  readonly #options: AllowedRunOptions
  #pairMs: number
  #allMs: number
  #isAlone = true
  /** It goes on to its own limits, whatever is left for its key and action. */
  #isUnbounded = false
  #open = true

  constructor(options: AllowedRunOptions) {
    this.#options = options
    this.#pairMs = options.pairMs
    this.#allMs = options.allMs
    options.runs.begun(this)
  }

  /** Another run of its key and action was under way at the same time. */
  joined(): void {
    this.#isAlone = false
  }

  /** Says that `extend` will ask for so much soon. */
  prepare(untilMs: number): void {
    const { pair, all } = this.#options
    const { pairMs, allMs } = this.#missing(untilMs)
    if (pairMs > 0) pair.prepare(pairMs)
    if (allMs > 0) all.prepare(allMs)
  }

  /**
   * Reserves what a run of that length may use.
   * @returns false where nothing is left: it has to be stopped. A run that was never one of several goes on
   * @throws {CreditsUnavailable}
   */
  async extend(untilMs: number): Promise<boolean> {
    const { pair, all } = this.#options
    const { pairMs, allMs } = this.#missing(untilMs)
    try {
      const ofPair = pairMs > 0 ? await this.#reservePair(pair, pairMs) : 0
      this.#pairMs += ofPair
      const ofAll = allMs > 0 ? await all.reserve(() => allMs) : 0
      this.#allMs += ofAll
    } catch (error) {
      if (error instanceof NoAllowanceLeft) return false
      throw error
    } finally {
      // It ended meanwhile, and has freed what it had then.
      if (!this.#open) this.#free(0)
    }
    return true
  }

  /** Its end. @param ms how long it took, `failed` whether that is used of the allowance */
  ended(ms: number, { failed }: { failed: boolean }): void {
    this.#end(ms, failed ? Math.max(1, Math.ceil(ms)) : 0)
  }

  /** It was never begun. Does nothing where it has ended. */
  release(): void {
    this.#end(undefined, 0)
  }

  async #reservePair(pair: Budget, ms: number): Promise<number> {
    try {
      return await pair.reserve(() => ms)
    } catch (error) {
      const isOnly = this.#isAlone && error instanceof NoAllowanceLeft && error.elsewhereMs === 0
      if (!isOnly) throw error
      this.#isUnbounded = true
      return 0
    }
  }

  #missing(untilMs: number): { pairMs: number; allMs: number } {
    const until = Math.min(untilMs, this.#options.wallMs)
    return {
      pairMs: this.#isUnbounded ? 0 : Math.max(0, until - this.#pairMs),
      allMs: Math.max(0, until - this.#allMs),
    }
  }

  #end(ms: number | undefined, usedMs: number): void {
    if (!this.#open) return
    this.#open = false
    this.#free(usedMs)
    const { runs, now } = this.#options
    runs.ended(this, ms, now())
  }

  #free(usedMs: number): void {
    this.#options.pair.end(this.#pairMs, usedMs)
    this.#options.all.end(this.#allMs, usedMs)
    this.#pairMs = 0
    this.#allMs = 0
  }
}
