import { EXECUTION_SECOND_CENTS } from '../../shared/limits.ts'
import type { AllowanceReservation } from './allowance-reservation.ts'
import type { Reservation } from './reservation.ts'

/**
 * Time before the end of the reserved second at which the next second is announced. It leaves time to ask other
 * processes for credit.
 */
const PREPARE_MS = 700

/** Time before the end of the reserved second at which the next second is reserved. */
const EXTEND_MS = 50

/**
 * Tolerance between the measured and the reported duration. If the measured duration is longer by more than this, it is
 * charged instead of the reported one.
 */
const MEASURE_TOLERANCE_MS = 2_000

const STOP_REASONS = [
  'out_of_credits',
  'spend_cap_reached',
  'failed_execution_allowance',
  'credits_unavailable',
] as const
export type StopReason = (typeof STOP_REASONS)[number]

export function isStopReason(code: string): code is StopReason {
  return STOP_REASONS.some((shortage) => shortage === code)
}

/** The first second is reserved before the run starts. */
export type RunBudget = { reservation: Reservation; allowance: AllowanceReservation }

/**
 * Reserves each second of a run before the second begins: its price, and its part of the allowance for failed
 * executions.
 */
export class RunMeter {
  readonly #budget: RunBudget
  readonly #stopRun: (why: StopReason) => void
  #startedAt = 0
  #reservedMs: number
  #timer: NodeJS.Timeout | undefined
  #ended = false
  #stopReason: StopReason | undefined

  /** @param stopRun called at the end of the last reserved second if no further second can be reserved */
  constructor(budget: RunBudget, stopRun: (why: StopReason) => void) {
    this.#budget = budget
    this.#stopRun = stopRun
    this.#reservedMs = (budget.reservation.cents / EXECUTION_SECOND_CENTS) * 1000
  }

  get stopped(): { reason: StopReason; afterMs: number } | undefined {
    return this.#stopReason && { reason: this.#stopReason, afterMs: this.#reservedMs }
  }

  get measuredMs(): number {
    return this.#startedAt === 0 ? 0 : performance.now() - this.#startedAt
  }

  start(): void {
    this.#startedAt = performance.now()
    this.#scheduleSecond()
  }

  /** Returns the reported duration in milliseconds, or the measured one if the reported one is implausibly short. */
  end(reportedMs: number): number {
    this.#ended = true
    clearTimeout(this.#timer)
    const { measuredMs } = this
    return reportedMs + MEASURE_TOLERANCE_MS < measuredMs ? measuredMs : reportedMs
  }

  #scheduleSecond(): void {
    const { reservation, allowance } = this.#budget
    const until = this.#startedAt + this.#reservedMs
    this.#schedule(until - PREPARE_MS, () => {
      reservation.prepare(EXECUTION_SECOND_CENTS)
      allowance.prepare(this.#reservedMs + 1000)
      this.#schedule(until - EXTEND_MS, () => void this.#extend())
    })
  }

  /** The run continues in the meantime, because a moment of unpaid time costs less than an aborted run. */
  async #extend(): Promise<void> {
    const { reservation, allowance } = this.#budget
    const nextMs = this.#reservedMs + 1000
    let stopReason: StopReason | undefined
    try {
      const [exhausted, isAllowed] = await Promise.all([
        reservation.extend(EXECUTION_SECOND_CENTS),
        allowance.extend(nextMs),
      ])
      stopReason = exhausted ?? (isAllowed ? undefined : 'failed_execution_allowance')
    } catch {
      stopReason = 'credits_unavailable'
    }
    if (this.#ended) return
    if (stopReason === undefined) {
      this.#reservedMs = nextMs
      return this.#scheduleSecond()
    }
    this.#schedule(this.#startedAt + this.#reservedMs, () => {
      this.#stopReason = stopReason
      this.#stopRun(stopReason)
    })
  }

  #schedule(time: number, act: () => void): void {
    this.#timer = setTimeout(act, Math.max(0, time - performance.now()))
  }
}

/** Every started second is charged, and at least one. */
export function executionCents(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000)) * EXECUTION_SECOND_CENTS
}
