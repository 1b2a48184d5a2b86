import { FAILED_EXECUTION_WINDOW_MS } from '../../shared/limits.ts'
import type { AbortableSleep } from '../timeout.ts'
import { AllowanceReservation, ALLOWANCE_STEP_MS } from './allowance-reservation.ts'
import type { Budget } from './budget.ts'
import type { Payer } from './budget-names.ts'
import type { LeaseBudgets } from './lease-budgets.ts'
import { WaitLimiter } from './wait-limiter.ts'
import { PairRuns, type RunWaiter } from './pair-runs.ts'
import {
  AllowanceExhaustedError,
  NoAllowanceLeftError,
  RunsInFlightError,
} from './credit-errors.ts'

/** For most actions, at least one run finishes within this time. */
const ADMISSION_TIMEOUT_MS = 10_000

/** Poll interval for allowance held by other processes, which do not report when their runs finish. */
const ALLOWANCE_POLL_MS = 250

/**
 * Minimum interval between checks of an exhausted allowance, so that a flood of failures costs one query per second.
 */
const EXHAUSTED_RECHECK_MS = 1_000

/** Maximum number of key and action pairs with stored run durations, at a few hundred bytes each. */
const PAIRS_MAX = 10_000

/** Reserved allowance is released when the runs in flight finish. */
const RETRY_AFTER_MS = 1_000

export type FailureAllowanceOptions = {
  budgets: (accountHash: string) => LeaseBudgets
  now: () => number
  monotonic: () => number
  sleep: AbortableSleep
}

export type RunAdmission = {
  cid: string
  /** Wall-clock limit of the run, in milliseconds. */
  wallMs: number
  /** Memory in bytes that the run occupies while it waits for admission. */
  bytes: number
}

type PendingAdmission = { payer: Payer; wallMs: number; pair: Budget; all: Budget; runs: PairRuns }

/**
 * Allowance for failed executions, which are free of charge (`docs/decisions/0024`). Before a run starts, it reserves
 * the time that it would use if it failed. The time is reserved from the allowance of its key and action, and from the
 * allowance of the account.
 */
export class FailureAllowance {
  readonly #options: FailureAllowanceOptions
  readonly #pairs = new Map<string, PairRuns>()
  /** Time of the next check for each account with an exhausted allowance. */
  readonly #exhaustedUntil = new Map<string, number>()
  readonly #waitLimiter = new WaitLimiter()

  constructor(options: FailureAllowanceOptions) {
    this.#options = options
  }

  /**
   * Reserves allowance for a run, and waits if runs in flight have reserved the rest.
   * @throws {AllowanceExhaustedError} if the allowance is exhausted
   * @throws {RunsInFlightError} if the allowance is still reserved for runs in flight after 10 s
   * @throws {OverloadedError} if too many runs are waiting
   * @throws {CreditsUnavailableError}
   */
  async admit(payer: Payer, { cid, wallMs, bytes }: RunAdmission): Promise<AllowanceReservation> {
    const budgets = this.#options.budgets(payer.accountHash)
    const pair = budgets.failures({ keyHash: payer.keyHash, cid })
    const runs = this.#runsOf(`${payer.accountHash}/${payer.keyHash}/${cid}`)
    const admission = { payer, wallMs, pair, all: budgets.failures(), runs }
    const ms = this.#estimatedMs(admission)
    if (runs.isQueueEmpty && ms >= minimumMs(wallMs) && pair.take(ms)) {
      if (admission.all.take(ALLOWANCE_STEP_MS)) return this.#reservation(admission, ms)
      pair.release(ms)
    }
    return this.#waitLimiter.run(payer.accountHash, bytes, () => this.#admitInOrder(admission))
  }

  async #admitInOrder(admission: PendingAdmission): Promise<AllowanceReservation> {
    const { monotonic } = this.#options
    const { runs } = admission
    const arrivedAt = monotonic()
    const waiter = runs.enqueue()
    try {
      for (;;) {
        const { changes } = runs
        const isFirst = runs.isFirst(waiter)
        const run = isFirst ? await this.#tryAdmit(admission) : undefined
        if (run) return run
        const leftMs = arrivedAt + ADMISSION_TIMEOUT_MS - monotonic()
        if (leftMs <= 0) throw new RunsInFlightError(RETRY_AFTER_MS)
        const waitMs = isFirst ? Math.min(leftMs, ALLOWANCE_POLL_MS) : leftMs
        if (runs.changes === changes) await this.#waitForWake(waiter, waitMs)
      }
    } finally {
      runs.dequeue(waiter)
    }
  }

  async #waitForWake(waiter: RunWaiter, ms: number): Promise<void> {
    const timer = new AbortController()
    const woken = new Promise<void>((resolve) => {
      waiter.wake = resolve
    })
    const late = this.#options.sleep(ms, timer.signal).catch(() => {})
    await Promise.race([woken, late])
    timer.abort()
  }

  /**
   * @returns undefined if the remaining allowance is reserved for runs in flight
   * @throws {AllowanceExhaustedError | CreditsUnavailableError}
   */
  async #tryAdmit(admission: PendingAdmission): Promise<AllowanceReservation | undefined> {
    const { wallMs, pair, all } = admission
    this.#requireNotExhausted(admission)
    let pairMs = 0
    try {
      // Requests the account's allowance in advance, so that one order includes both requests.
      all.prepare(ALLOWANCE_STEP_MS)
      const least = minimumMs(wallMs)
      pairMs = await pair.reserve(() => Math.max(least, this.#estimatedMs(admission)))
      await all.reserve(() => ALLOWANCE_STEP_MS)
      return this.#reservation(admission, pairMs)
    } catch (error) {
      pair.release(pairMs)
      if (!(error instanceof NoAllowanceLeftError)) throw error
      this.#checkExhausted(admission)
      return undefined
    }
  }

  #requireNotExhausted({ payer, pair, all, runs }: PendingAdmission): void {
    const now = this.#options.monotonic()
    if (now < runs.exhaustedUntil) throw this.#refusal('pair', pair)
    const accountUntil = this.#exhaustedUntil.get(payer.accountHash)
    if (accountUntil === undefined) return
    if (now < accountUntil) throw this.#refusal('account', all)
    this.#exhaustedUntil.delete(payer.accountHash)
  }

  #checkExhausted({ payer, wallMs, pair, all, runs }: PendingAdmission): void {
    const until = this.#options.monotonic() + EXHAUSTED_RECHECK_MS
    if (pair.remaining < minimumMs(wallMs)) {
      runs.exhaustedUntil = until
      throw this.#refusal('pair', pair)
    }
    if (all.remaining < ALLOWANCE_STEP_MS) {
      this.#exhaustedUntil.set(payer.accountHash, until)
      throw this.#refusal('account', all)
    }
  }

  #refusal(of: 'pair' | 'account', budget: Budget): AllowanceExhaustedError {
    const leavesAt = budget.terms?.nextLeavesAt?.getTime()
    const waitMs =
      leavesAt === undefined ? FAILED_EXECUTION_WINDOW_MS : leavesAt - this.#options.now()
    return new AllowanceExhaustedError(of, Math.max(ALLOWANCE_STEP_MS, waitMs))
  }

  #estimatedMs({ wallMs, pair, runs }: PendingAdmission): number {
    return Math.min(runs.estimateMs(wallMs, this.#options.monotonic()), pair.remaining)
  }

  #reservation(
    { wallMs, pair, all, runs }: PendingAdmission,
    pairMs: number,
  ): AllowanceReservation {
    const { monotonic: now } = this.#options
    const allMs = ALLOWANCE_STEP_MS
    return new AllowanceReservation({ pair, all, runs, wallMs, now, pairMs, allMs })
  }

  #runsOf(name: string): PairRuns {
    const known = this.#pairs.get(name)
    if (known) return known
    const runs = new PairRuns()
    this.#pairs.set(name, runs)
    if (this.#pairs.size > PAIRS_MAX) this.#evictIdle()
    return runs
  }

  #evictIdle(): void {
    for (const [name, { isIdle }] of this.#pairs)
      if (isIdle) {
        this.#pairs.delete(name)
        return
      }
  }
}

/**
 * Minimum reservation in milliseconds. A run that is admitted with less would use more than the remaining allowance.
 */
function minimumMs(wallMs: number): number {
  return Math.min(ALLOWANCE_STEP_MS, wallMs)
}
