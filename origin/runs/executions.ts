import type { ClaimState, RunClaims } from './claims.ts'
import { executedRun } from './executed-run.ts'
import type { RunKey } from './outcome-codec.ts'
import { EXECUTION_SECOND_CENTS } from '../../shared/limits.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { asOfNow } from '../accounts/as-of-now.ts'
import { mayRunInEveryGroup, permissionToRun, type RunPermission } from '../accounts/permissions.ts'
import { Overloaded } from '../admission/event-loop-load.ts'
import type { AccountsMirror } from '../accounts/mirror.ts'
import type { Principal } from '../accounts/state.ts'
import type { ActionPool } from '../actions/run.ts'
import type { SourceCids } from '../actions/source-cid/source-cids.ts'
import type { AllowedRun } from '../credits/allowed-run.ts'
import type { Payer } from '../credits/budget-name.ts'
import type { Credits } from '../credits/credits.ts'
import type { Reservation } from '../credits/reservation.ts'
import type { RunBudget } from '../credits/run-meter.ts'
import type { Keyring } from '../keys/keyring.ts'
import type { Log } from '../log.ts'
import type { ReceiptSigner } from '../receipts/receipt-signer.ts'

/** The key is valid, and no group lets it run this action. */
export class ActionNotPermitted extends Error {
  readonly cid: string
  /** The key may execute in every group of the account: no group permits the action. */
  readonly isInNoGroup: boolean
  constructor(cid: string, isInNoGroup: boolean) {
    super(`the key may not run the action ${cid}`)
    this.name = 'ActionNotPermitted'
    this.cid = cid
    this.isInNoGroup = isInNoGroup
  }
}

export type Execution = {
  principal: Principal
  code: string
  /** JSON text of an object. */
  params: string
  /** Of the request that it came in, which stays in memory until its answer. */
  heldBytes?: number
  /** Whoever asked has gone: a run that has not begun is dropped. None for a run under an id: others may ask for it. */
  unwanted?: AbortSignal
}

/** A run that has an id, as a request names it. */
export type OnceRun = { id: string; attempt: number; retry_lost?: boolean | undefined }

export type ExecutionsOptions = {
  pool: ActionPool
  sourceCids: Pick<SourceCids, 'of'>
  keyring: Keyring
  claims: RunClaims
  mirror: Pick<AccountsMirror, 'current'>
  credits: Credits
  limits: { wallMs: number; cpuMs: number }
  receipts: ReceiptSigner
  log: Log
}

/** A stored outcome is worth waiting for the database: until then nobody else may learn the run's end. */
const FINISH_RETRY_MS = 250
const FINISH_RETRY_MAX_MS = 10_000

/** Executes actions: plainly for a caller that waits, at most once for a run that has an id. */
export class Executions {
  readonly #options: ExecutionsOptions
  /** By run id, and under it by account: a claim is of both, and only the same account joins. */
  readonly #underWay = new Map<string, Map<string, Promise<Outcome>>>()

  constructor(options: ExecutionsOptions) {
    this.#options = options
  }

  /**
   * @throws {PaymentRequired | SpendCapReached | CreditsUnavailable | ActionNotPermitted | FailedExecutionAllowance}
   * @throws {ExecutorUnavailable | Overloaded}
   */
  async run(execution: Execution): Promise<Outcome> {
    this.#requireRoom(execution)
    const reservation = await this.#reserve(execution)
    let allowed: AllowedRun | undefined
    try {
      const permission = await this.#permit(execution)
      allowed = await this.#admit(execution, permission)
      const { cid } = permission
      const budget = { reservation, allowed }
      const outcome = await executedRun(this.#options, execution, { cid, budget })
      settle(reservation, outcome)
      return outcome
    } finally {
      reservation.release()
      allowed?.release()
    }
  }

  /**
   * Begins a run under its id, or joins it. The claim is on disk when this returns.
   * @param run `retry_lost`: executed again where an earlier attempt has ended as `origin_lost`
   * @returns the outcome's promise; `undefined` where another process executes the run
   * @throws {PaymentRequired | SpendCapReached | CreditsUnavailable | ActionNotPermitted | FailedExecutionAllowance}
   * @throws {Overloaded} and nothing was claimed
   */
  async runOnce(
    execution: Execution,
    run: OnceRun,
  ): Promise<{ outcome: Promise<Outcome> } | undefined> {
    const key = { accountHash: execution.principal.account.hash, runId: run.id }
    const joined = this.#underWay.get(key.runId)?.get(key.accountHash)
    if (joined) return { outcome: joined }
    let reservation: Reservation
    try {
      this.#requireRoom(execution)
      reservation = await this.#reserve(execution)
    } catch (error) {
      return this.#told(key, run, error)
    }
    return this.#claim(key, run, execution, reservation)
  }

  /** A run that was begun is paid for, or has failed: to hear of it costs nothing. @throws `refusal` of one that was not */
  async #told(
    key: RunKey,
    run: OnceRun,
    refusal: unknown,
  ): Promise<{ outcome: Promise<Outcome> } | undefined> {
    const known = await this.#known(key, run).catch(() => undefined)
    if (!known) throw refusal
    return known.state === 'ended' ? { outcome: Promise.resolve(known.outcome) } : undefined
  }

  /** What there is to hear of a run without executing it. */
  async #known(key: RunKey, run: OnceRun): Promise<ClaimState | undefined> {
    const { claims } = this.#options
    // To be told again that it was lost would use this attempt up, too.
    if (run.retry_lost && (await claims.isLost(key, run.attempt))) return undefined
    return claims.state(key)
  }

  async #claim(
    key: RunKey,
    run: OnceRun,
    execution: Execution,
    reservation: Reservation,
  ): Promise<{ outcome: Promise<Outcome> } | undefined> {
    const { claims } = this.#options
    let claimed = false
    let allowed: AllowedRun | undefined
    try {
      const permitted = await this.#permit(execution)
      try {
        allowed = await this.#admit(execution, permitted)
      } catch (error) {
        return await this.#told(key, run, error)
      }
      claimed =
        (await claims.claim(key, run.attempt)) ||
        (run.retry_lost === true && (await claims.takeOver(key, run.attempt)))
      if (claimed)
        return { outcome: this.#carried(key, permitted, execution, { reservation, allowed }) }
    } finally {
      if (!claimed) {
        reservation.release()
        allowed?.release()
      }
    }
    const known = await claims.state(key)
    return known?.state === 'ended' ? { outcome: Promise.resolve(known.outcome) } : undefined
  }

  /** Executes a run that was claimed; others that ask for it join it. */
  #carried(
    key: RunKey,
    permitted: RunPermission,
    execution: Execution,
    budget: RunBudget,
  ): Promise<Outcome> {
    const { accountHash, runId } = key
    const outcome = this.#claimed(key, permitted, execution, budget).finally(() => {
      budget.reservation.release()
      budget.allowed.release()
    })
    const ofRun = this.#underWay.get(runId) ?? new Map<string, Promise<Outcome>>()
    this.#underWay.set(runId, ofRun.set(accountHash, outcome))
    const forget = () => {
      ofRun.delete(accountHash)
      if (ofRun.size === 0) this.#underWay.delete(runId)
    }
    outcome.then(forget, forget)
    return outcome
  }

  /** The promises of a run that this process executes, one for each account that claimed it. */
  underWay(runId: string): Promise<Outcome>[] {
    return [...(this.#underWay.get(runId)?.values() ?? [])]
  }

  /** Whether this process carries the claim. */
  isUnderWay({ accountHash, runId }: RunKey): boolean {
    return this.#underWay.get(runId)?.has(accountHash) ?? false
  }

  /** As of now, not of when the request came in. */
  async #permit({ principal: sender, code }: Execution): Promise<RunPermission> {
    const cid = await this.#options.sourceCids.of(code)
    const principal = asOfNow(sender, this.#options.mirror.current())
    const permission = permissionToRun(principal, cid)
    if (!permission) throw new ActionNotPermitted(cid, mayRunInEveryGroup(principal))
    return permission
  }

  async #claimed(
    key: RunKey,
    { cid }: RunPermission,
    execution: Execution,
    budget: RunBudget,
  ): Promise<Outcome> {
    let outcome: Outcome
    try {
      const { runId } = key
      outcome = await executedRun(this.#options, execution, { cid, budget, runId })
    } catch (error) {
      await this.#options.claims.release(key)
      throw error
    }
    for (let wait = FINISH_RETRY_MS; ; wait = Math.min(wait * 2, FINISH_RETRY_MAX_MS)) {
      try {
        const stored = await this.#options.claims.finish(key, outcome)
        // Another outcome was there: this process had been taken for dead, and what it did is not charged.
        if (stored === outcome) settle(budget.reservation, outcome)
        return stored
      } catch (error) {
        this.#options.log('run.outcome_not_stored', { run_id: key.runId, error: nameOf(error) })
        await new Promise((resume) => setTimeout(resume, wait))
      }
    }
  }

  /** Before anything is reserved or claimed: a flood is turned away without a query. */
  #requireRoom({ principal, ...request }: Execution): void {
    const refused = this.#options.pool.refusal({ account: principal.account.hash, ...request })
    if (refused?.full) throw new Overloaded(refused.reason, refused.retryAfterMs)
  }

  #reserve({ principal }: Execution): Promise<Reservation> {
    return this.#options.credits.reserve(payerOf(principal), EXECUTION_SECOND_CENTS)
  }

  /** What it may use by failing. */
  #admit(
    { principal, code, params, heldBytes = 0 }: Execution,
    { cid }: RunPermission,
  ): Promise<AllowedRun> {
    const { credits, limits } = this.#options
    const bytes = Math.max(heldBytes, code.length + params.length)
    return credits.admit(payerOf(principal), { cid, wallMs: limits.wallMs, bytes })
  }
}

function payerOf({ account, keyHash }: Principal): Payer {
  return { accountHash: account.hash, keyHash }
}

/** Charges what the outcome says, and nothing for a failure. */
function settle(reservation: Reservation, outcome: Outcome): void {
  const { charged_cents, action_cid: subject } = outcome
  if (charged_cents > 0) reservation.settle('execution', charged_cents, { subject })
  reservation.release()
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}
