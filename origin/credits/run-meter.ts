import { EXECUTION_SECOND_CENTS } from '../../shared/limits.ts'
import type { AllowedRun } from './allowed-run.ts'
import type { Reservation } from './reservation.ts'

/** The lease is told this long before a second ends that another is coming: time to ask other processes. */
const PREPARE_MS = 700

/** The next second is reserved this long before it begins. */
const EXTEND_MS = 50

/** An executor's own word about the time of a run is taken unless this process has measured so much more. */
const MEASURE_TOLERANCE_MS = 2_000

/** Why a run was stopped, as outcomes say it. */
const SHORTAGES = [
  'out_of_credits',
  'spend_cap_reached',
  'failed_execution_allowance',
  'credits_unavailable',
] as const
export type Shortage = (typeof SHORTAGES)[number]

export function isShortage(code: string): code is Shortage {
  return SHORTAGES.some((shortage) => shortage === code)
}

/** What a run may use until it ends: the first second of it is reserved before it begins. */
export type RunBudget = { reservation: Reservation; allowed: AllowedRun }

/** Reserves each second of a run before it begins, what it costs and what it uses by failing. */
export class RunMeter {
  readonly #budget: RunBudget
  readonly #stopRun: (why: Shortage) => void
  #startedAt = 0
  /** Milliseconds that are reserved. */
  #reservedMs: number
  #timer: NodeJS.Timeout | undefined
  #ended = false
  #shortage: Shortage | undefined

  /** @param stopRun called at the end of the last second that is reserved, when there is no other */
  constructor(budget: RunBudget, stopRun: (why: Shortage) => void) {
    this.#budget = budget
    this.#stopRun = stopRun
    this.#reservedMs = (budget.reservation.cents / EXECUTION_SECOND_CENTS) * 1000
  }

  /** Why the run was stopped, and after which second; if it was. */
  get stopped(): { why: Shortage; afterMs: number } | undefined {
    return this.#shortage && { why: this.#shortage, afterMs: this.#reservedMs }
  }

  /** What this process has measured so far. */
  get measuredMs(): number {
    return this.#startedAt === 0 ? 0 : performance.now() - this.#startedAt
  }

  /** The run's time begins. */
  start(): void {
    this.#startedAt = performance.now()
    this.#awaitSecond()
  }

  /** The run has ended. @returns its milliseconds, which this process need not take from an executor */
  end(reportedMs: number): number {
    this.#ended = true
    clearTimeout(this.#timer)
    const { measuredMs } = this
    return reportedMs + MEASURE_TOLERANCE_MS < measuredMs ? measuredMs : reportedMs
  }

  #awaitSecond(): void {
    const { reservation, allowed } = this.#budget
    const until = this.#startedAt + this.#reservedMs
    this.#at(until - PREPARE_MS, () => {
      reservation.prepare(EXECUTION_SECOND_CENTS)
      allowed.prepare(this.#reservedMs + 1000)
      this.#at(until - EXTEND_MS, () => void this.#extend())
    })
  }

  /** While the ledger is asked the run goes on: what it has for less than a second is worth less than the run. */
  async #extend(): Promise<void> {
    const { reservation, allowed } = this.#budget
    const nextMs = this.#reservedMs + 1000
    let shortage: Shortage | undefined
    try {
      const [exhausted, isAllowed] = await Promise.all([
        reservation.extend(EXECUTION_SECOND_CENTS),
        allowed.extend(nextMs),
      ])
      shortage = exhausted ?? (isAllowed ? undefined : 'failed_execution_allowance')
    } catch {
      shortage = 'credits_unavailable'
    }
    if (this.#ended) return
    if (shortage === undefined) {
      this.#reservedMs = nextMs
      return this.#awaitSecond()
    }
    this.#at(this.#startedAt + this.#reservedMs, () => {
      this.#shortage = shortage
      this.#stopRun(shortage)
    })
  }

  #at(time: number, act: () => void): void {
    this.#timer = setTimeout(act, Math.max(0, time - performance.now()))
  }
}

/** What a run of so many milliseconds costs: each second that has begun. */
export function executionCents(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000)) * EXECUTION_SECOND_CENTS
}
