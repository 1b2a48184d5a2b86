import type { Budget } from './budget.ts'
import type { PairRuns } from './pair-runs.ts'
import { NoAllowanceLeftError } from './credit-errors.ts'

/** Minimum allowance that a run reserves, in milliseconds. Equal to the step in which credit is reserved. */
export const ALLOWANCE_STEP_MS = 1_000

export type AllowanceReservationOptions = {
  /** Allowance budgets: `pair` for the run's key and action, `all` for the whole account. */
  pair: Budget
  all: Budget
  runs: PairRuns
  wallMs: number
  now: () => number
  pairMs: number
  allMs: number
}

/** Allowance in milliseconds that is reserved in case a run fails, and released if the run succeeds. */
export class AllowanceReservation {
  readonly #options: AllowanceReservationOptions
  #pairMs: number
  #allMs: number
  #isAlone = true
  /** True if the run may continue up to its time limit even without allowance for its key and action. */
  #isUnbounded = false
  #open = true

  constructor(options: AllowanceReservationOptions) {
    this.#options = options
    this.#pairMs = options.pairMs
    this.#allMs = options.allMs
    options.runs.addRun(this)
  }

  markOverlapping(): void {
    this.#isAlone = false
  }

  /** Announces a later call of `extend`, so that the allowance can be obtained in advance. */
  prepare(untilMs: number): void {
    const { pair, all } = this.#options
    const { pairMs, allMs } = this.#missing(untilMs)
    if (pairMs > 0) pair.prepare(pairMs)
    if (allMs > 0) all.prepare(allMs)
  }

  /**
   * Extends the reservation to a run duration of `untilMs`. A run that never overlapped with another run of the same
   * key and action may exceed the allowance of that key and action, but not the allowance of the account.
   * @returns false if no allowance is left and the run must be stopped
   * @throws {CreditsUnavailableError}
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
      if (error instanceof NoAllowanceLeftError) return false
      throw error
    } finally {
      // If the run finished during this call, its earlier reservations are already released. Releases the new ones.
      if (!this.#open) this.#free(0)
    }
    return true
  }

  /** If the run failed, its duration is deducted from the allowance. */
  finish(ms: number, { failed }: { failed: boolean }): void {
    this.#end(ms, failed ? Math.max(1, Math.ceil(ms)) : 0)
  }

  /** No effect after `finish`. */
  release(): void {
    this.#end(undefined, 0)
  }

  async #reservePair(pair: Budget, ms: number): Promise<number> {
    try {
      return await pair.reserve(() => ms)
    } catch (error) {
      const isOnly =
        this.#isAlone && error instanceof NoAllowanceLeftError && error.elsewhereMs === 0
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
    runs.recordEnd(this, ms, now())
  }

  #free(usedMs: number): void {
    this.#options.pair.release(this.#pairMs, usedMs)
    this.#options.all.release(this.#allMs, usedMs)
    this.#pairMs = 0
    this.#allMs = 0
  }
}
