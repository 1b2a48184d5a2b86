import { FAILED_EXECUTION_WINDOW_MS } from '../../shared/limits.ts'
import type { Sleep } from '../db/in-time.ts'
import type { AccountLease } from './account-lease.ts'
import { AllowedRun, STEP_MS } from './allowed-run.ts'
import type { Budget } from './budget.ts'
import type { Payer } from './budget-name.ts'
import { type Bytes, Lines } from './lines.ts'
import { PairRuns, type Place } from './pair-runs.ts'
import { FailedExecutionAllowance, NoAllowanceLeft, RunsInFlight } from './shortage.ts'

/** Limit for waiting on runs of the same key and action. Most actions finish at least once within this time. */
const PATIENCE_MS = 10_000

/** Poll interval for allowance held by other processes, which do not report when their runs finish. */
const ASK_AGAIN_MS = 250

/** Checks an exhausted allowance at most this often, so that a flood of failures costs one query per second. */
const SPENT_LOOK_MS = 1_000

/** Pairs of key and action with stored run durations, at a few hundred bytes each. */
const PAIRS_MAX = 10_000

/** Reserved allowance is freed when the runs in flight finish. */
const RETRY_AFTER_MS = 1_000

export type FailureAllowanceOptions = {
  lease: (accountHash: string) => AccountLease
  /** Unix milliseconds. */
  now: () => number
  monotonic: () => number
  sleep: Sleep
}

export type RunToAllow = {
  cid: string
  /** Wall-clock limit of the run. */
  wallMs: number
  /** Memory that the run occupies while it waits for admission. */
  bytes: Bytes
}

type Asking = { payer: Payer; wallMs: number; pair: Budget; all: Budget; runs: PairRuns }

/**
 * Allowance for failed executions, which are free of charge (`docs/decisions/0024`). Before a run starts, it reserves
 * the time that it would use by failing, from the allowances of its key and action and of the account.
 */
export class FailureAllowance {
  readonly #options: FailureAllowanceOptions
  readonly #pairs = new Map<string, PairRuns>()
  /** Accounts with an exhausted allowance, by the time of their next check. */
  readonly #spent = new Map<string, number>()
  readonly #lines = new Lines()

  constructor(options: FailureAllowanceOptions) {
    this.#options = options
  }

  /**
   * @throws {FailedExecutionAllowance} if the allowance is exhausted
   * @throws {RunsInFlight} if the allowance is still reserved for runs in flight after 10 s
   * @throws {Overloaded} if too many runs are waiting
   * @throws {CreditsUnavailable}
   */
  async admit(payer: Payer, { cid, wallMs, bytes }: RunToAllow): Promise<AllowedRun> {
    const lease = this.#options.lease(payer.accountHash)
    const pair = lease.failures({ keyHash: payer.keyHash, cid })
    const runs = this.#runsOf(`${payer.accountHash}/${payer.keyHash}/${cid}`)
    const asking = { payer, wallMs, pair, all: lease.failures(), runs }
    const ms = this.#wanted(asking)
    if (runs.hasNoLine && ms >= leastOf(wallMs) && pair.take(ms)) {
      if (asking.all.take(STEP_MS)) return this.#allowed(asking, ms)
      pair.end(ms)
    }
    return this.#lines.within(payer.accountHash, bytes, () => this.#inLine(asking))
  }

  async #inLine(asking: Asking): Promise<AllowedRun> {
    const { monotonic } = this.#options
    const { runs } = asking
    const cameAt = monotonic()
    const place = runs.join()
    try {
      for (;;) {
        const { changes } = runs
        const isFirst = runs.isFirst(place)
        const run = isFirst ? await this.#ask(asking) : undefined
        if (run) return run
        const leftMs = cameAt + PATIENCE_MS - monotonic()
        if (leftMs <= 0) throw new RunsInFlight(RETRY_AFTER_MS)
        const waitMs = isFirst ? Math.min(leftMs, ASK_AGAIN_MS) : leftMs
        if (runs.changes === changes) await this.#woken(place, waitMs)
      }
    } finally {
      runs.leave(place)
    }
  }

  /** Waits until the run is first, allowance may have been freed, or the timeout expires. */
  async #woken(place: Place, ms: number): Promise<void> {
    const timer = new AbortController()
    const woken = new Promise<void>((resolve) => {
      place.wake = resolve
    })
    const late = this.#options.sleep(ms, timer.signal).catch(() => {})
    await Promise.race([woken, late])
    timer.abort()
  }

  /**
   * @returns undefined if the remaining allowance is reserved for runs in flight
   * @throws {FailedExecutionAllowance | CreditsUnavailable}
   */
  async #ask(asking: Asking): Promise<AllowedRun | undefined> {
    const { wallMs, pair, all } = asking
    this.#requireUnspent(asking)
    let pairMs = 0
    try {
      // Combines both requests into one order.
      all.prepare(STEP_MS)
      const least = leastOf(wallMs)
      pairMs = await pair.reserve(() => Math.max(least, this.#wanted(asking)))
      await all.reserve(() => STEP_MS)
      return this.#allowed(asking, pairMs)
    } catch (error) {
      pair.end(pairMs)
      if (!(error instanceof NoAllowanceLeft)) throw error
      this.#lookWhetherSpent(asking)
      return undefined
    }
  }

  #requireUnspent({ payer, pair, all, runs }: Asking): void {
    const now = this.#options.monotonic()
    if (now < runs.spentUntil) throw this.#refusal('pair', pair)
    const accountUntil = this.#spent.get(payer.accountHash)
    if (accountUntil === undefined) return
    if (now < accountUntil) throw this.#refusal('account', all)
    this.#spent.delete(payer.accountHash)
  }

  #lookWhetherSpent({ payer, wallMs, pair, all, runs }: Asking): void {
    const until = this.#options.monotonic() + SPENT_LOOK_MS
    if (pair.remaining < leastOf(wallMs)) {
      runs.spentUntil = until
      throw this.#refusal('pair', pair)
    }
    if (all.remaining < STEP_MS) {
      this.#spent.set(payer.accountHash, until)
      throw this.#refusal('account', all)
    }
  }

  #refusal(of: 'pair' | 'account', budget: Budget): FailedExecutionAllowance {
    const leavesAt = budget.terms?.nextLeavesAt?.getTime()
    const waitMs =
      leavesAt === undefined ? FAILED_EXECUTION_WINDOW_MS : leavesAt - this.#options.now()
    return new FailedExecutionAllowance(of, Math.max(STEP_MS, waitMs))
  }

  /** Expected duration in milliseconds, limited to the remaining allowance. */
  #wanted({ wallMs, pair, runs }: Asking): number {
    return Math.min(runs.estimateMs(wallMs, this.#options.monotonic()), pair.remaining)
  }

  #allowed({ wallMs, pair, all, runs }: Asking, pairMs: number): AllowedRun {
    const now = this.#options.monotonic
    return new AllowedRun({ pair, all, runs, wallMs, now, pairMs, allMs: STEP_MS })
  }

  #runsOf(name: string): PairRuns {
    const known = this.#pairs.get(name)
    if (known) return known
    const runs = new PairRuns()
    this.#pairs.set(name, runs)
    if (this.#pairs.size > PAIRS_MAX) this.#forgetOne()
    return runs
  }

  #forgetOne(): void {
    for (const [name, { isIdle }] of this.#pairs)
      if (isIdle) {
        this.#pairs.delete(name)
        return
      }
  }
}

/** Minimum reservation in milliseconds. A run admitted with less would use more than the remaining allowance. */
function leastOf(wallMs: number): number {
  return Math.min(STEP_MS, wallMs)
}
