import type { Budget } from './budget.ts'
import type { PairRuns } from './pair-runs.ts'
import { NoAllowanceLeftError } from './credit-errors.ts'

/** Reservation step, as for credit, and minimum reservation of a run. */
export const ALLOWANCE_STEP_MS = 1_000

export type AllowanceReservationOptions = {
  /** Allowances of the run's key and action (`pair`), and of the whole account (`all`). */
  pair: Budget
  all: Budget
  runs: PairRuns
  wallMs: number
  now: () => number
  pairMs: number
  allMs: number
}

/** Milliseconds of the allowance, reserved in case the run fails. They are released if it succeeds. */
export class AllowanceReservation {
  readonly #options: AllowanceReservationOptions
  #pairMs: number
  #allMs: number
  #isAlone = true
  /** True if the run may continue up to its own limits without allowance of its key and action. */
  #isUnbounded = false
  #open = true

  constructor(options: AllowanceReservationOptions) {
    this.#options = options
    this.#pairMs = options.pairMs
    this.#allMs = options.allMs
    options.runs.addRun(this)
  }

  /** Called if a run of the same pair is in flight at the same time. */
  markOverlapping(): void {
    this.#isAlone = false
  }

  /** Announces an `extend` to this duration, so that the allowance can be obtained in advance. */
  prepare(untilMs: number): void {
    const { pair, all } = this.#options
    const { pairMs, allMs } = this.#missing(untilMs)
    if (pairMs > 0) pair.prepare(pairMs)
    if (allMs > 0) all.prepare(allMs)
  }

  /**
   * A run that has always been the only run of its key and action in flight may exceed their allowance, but not the
   * account's allowance.
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
      // The run finished during this call, which has already freed its earlier reservations.
      if (!this.#open) this.#free(0)
    }
    return true
  }

  /** @param outcome if `failed`, the duration is deducted from the allowance */
  finish(ms: number, { failed }: { failed: boolean }): void {
    this.#end(ms, failed ? Math.max(1, Math.ceil(ms)) : 0)
  }

  /** No effect after `ended`. */
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
