import { EXECUTION_SECOND_CENTS } from '../../shared/limits.ts'
import type { Reservation } from './reservation.ts'

/** The lease is told this long before a second ends that another is coming: time to ask other processes. */
const PREPARE_MS = 700

/** The next second is reserved this long before it begins. */
const EXTEND_MS = 50

/** An executor's own word about the time of a run is taken unless this process has measured so much more. */
const MEASURE_TOLERANCE_MS = 2_000

/** Why a run was stopped, as outcomes say it. */
const SHORTAGES = ['out_of_credits', 'spend_cap_reached', 'credits_unavailable'] as const
export type Shortage = (typeof SHORTAGES)[number]

export function isShortage(code: string): boolean {
  return SHORTAGES.some((shortage) => shortage === code)
}

/** Reserves each second of a run before it begins, the first of which is reserved already. */
export class RunMeter {
  readonly #reservation: Reservation
  readonly #stopRun: (why: Shortage) => void
  #startedAt = 0
  #timer: NodeJS.Timeout | undefined
  #ended = false
  #shortage: Shortage | undefined

  /** @param stopRun called at the end of the last second that is reserved, when there is no other */
  constructor(reservation: Reservation, stopRun: (why: Shortage) => void) {
    this.#reservation = reservation
    this.#stopRun = stopRun
  }

  /** Why the run was stopped, if it was. */
  get shortage(): Shortage | undefined {
    return this.#shortage
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
    const measuredMs = this.#startedAt === 0 ? 0 : performance.now() - this.#startedAt
    return reportedMs + MEASURE_TOLERANCE_MS < measuredMs ? measuredMs : reportedMs
  }

  #reservedUntil(): number {
    return this.#startedAt + (this.#reservation.cents / EXECUTION_SECOND_CENTS) * 1000
  }

  #awaitSecond(): void {
    this.#at(this.#reservedUntil() - PREPARE_MS, () => {
      this.#reservation.prepare(EXECUTION_SECOND_CENTS)
      this.#at(this.#reservedUntil() - EXTEND_MS, () => void this.#extend())
    })
  }

  /** While the ledger is asked the run goes on: what it has for less than a second is worth less than the run. */
  async #extend(): Promise<void> {
    let shortage: Shortage | undefined
    try {
      shortage = await this.#reservation.extend(EXECUTION_SECOND_CENTS)
    } catch {
      shortage = 'credits_unavailable'
    }
    if (this.#ended) return
    if (shortage === undefined) return this.#awaitSecond()
    this.#at(this.#reservedUntil(), () => {
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
