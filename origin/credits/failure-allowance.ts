import { FAILED_EXECUTION_WINDOW_MS } from '../../shared/limits.ts'
import type { Sleep } from '../db/in-time.ts'
import type { AccountLease } from './account-lease.ts'
import { AllowedRun, STEP_MS } from './allowed-run.ts'
import type { Budget } from './budget.ts'
import type { Payer } from './budget-name.ts'
import { type Bytes, Lines } from './lines.ts'
import { PairRuns, type Place } from './pair-runs.ts'
import { FailedExecutionAllowance, NoAllowanceLeft, RunsInFlight } from './shortage.ts'

/** A run that waits for others of its key and action is refused after this: long enough for most actions to end once. */
const PATIENCE_MS = 10_000

/** What other processes hold is asked for again this often by who waits: they do not tell when their runs end. */
const ASK_AGAIN_MS = 250

/** A spent allowance is looked at so often: a flood of failures costs a query a second. */
const SPENT_LOOK_MS = 1_000

/** Runs whose length is remembered: a few hundred bytes each. */
const PAIRS_MAX = 10_000

/** When the waiting may be over: what is reserved for runs under way comes back with their end. */
const RETRY_AFTER_MS = 1_000

export type FailureAllowanceOptions = {
  lease: (accountHash: string) => AccountLease
  /** What all clocks say. */
  now: () => number
  monotonic: () => number
  sleep: Sleep
}

/** A run that wants to begin. */
export type RunToAllow = {
  cid: string
  /** As long as it may take. */
  wallMs: number
  /** What it keeps in memory while it waits. */
  bytes: Bytes
}

/** Where a run stands that asks to be let in. */
type Asking = { payer: Payer; wallMs: number; pair: Budget; all: Budget; runs: PairRuns }

/**
 * The allowance for failed executions (`decisions.md`): failing costs nothing, so each run reserves what it may use by
 * failing before it begins, of what its key and action have left, and of what the account has left.
 */
export class FailureAllowance {
  readonly #options: FailureAllowanceOptions
  readonly #pairs = new Map<string, PairRuns>()
  /** Accounts whose allowance was spent when it was last looked at, and when it is looked at again. */
  readonly #spent = new Map<string, number>()
  readonly #lines = new Lines()

  constructor(options: FailureAllowanceOptions) {
    this.#options = options
  }

  /**
   * @throws {FailedExecutionAllowance} where it is spent
   * @throws {RunsInFlight} if it is still reserved for runs in flight after 10 s
   * @throws {Overloaded} if too many wait
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

  /** Waits for its turn, and then for what it needs. */
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

  /** Ends when something has changed for who is first in line, or after so long. */
  async #woken(place: Place, ms: number): Promise<void> {
    const timer = new AbortController()
    const woken = new Promise<void>((resolve) => {
      place.wake = resolve
    })
    const late = this.#options.sleep(ms, timer.signal).catch(() => {})
    await Promise.race([woken, late])
    timer.abort()
  }

  /** @returns undefined where what is left is reserved for runs under way @throws {FailedExecutionAllowance} */
  async #ask(asking: Asking): Promise<AllowedRun | undefined> {
    const { wallMs, pair, all } = asking
    this.#requireUnspent(asking)
    let pairMs = 0
    try {
      // One order asks for both.
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

  /** What the run may need, and all that is left where that is less. */
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

  /** The oldest of which nothing is under way. */
  #forgetOne(): void {
    for (const [name, { isIdle }] of this.#pairs)
      if (isIdle) {
        this.#pairs.delete(name)
        return
      }
  }
}

/** What a run reserves at least: who is let in with less would use more than is left. */
function leastOf(wallMs: number): number {
  return Math.min(STEP_MS, wallMs)
}
