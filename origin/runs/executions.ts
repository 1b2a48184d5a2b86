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

/** The key is valid, but no group lets it run this action. */
export class ActionNotPermitted extends Error {
  readonly cid: string
  /** True if the key may execute in every group of the account, and so no group permits the action. */
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
  /** Size of the request, which stays in memory until it is answered. */
  heldBytes?: number
  /**
   * Aborted when the client disconnects, to drop a run that has not started. Not set for a run with an ID, because
   * others may ask for it.
   */
  unwanted?: AbortSignal
}

/** A run with an ID, as named in a request. */
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

/**
 * Backoff for storing an outcome, in ms. It is retried until it succeeds, because no other process can learn the
 * outcome until then.
 */
const FINISH_RETRY_MS = 250
const FINISH_RETRY_MAX_MS = 10_000

/** Executes actions: directly for a caller that waits, at most once for a run with an ID. */
export class Executions {
  readonly #options: ExecutionsOptions
  /** Runs in flight by run ID, then by account. A claim belongs to both, and only the same account may join a run. */
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
   * Starts a run under its ID, or joins it. The claim is durable when this returns.
   * @param run with `retry_lost`, the run is executed again if an earlier attempt ended as `origin_lost`
   * @returns the outcome's promise, or undefined if another process executes the run
   * @throws {PaymentRequired | SpendCapReached | CreditsUnavailable | ActionNotPermitted | FailedExecutionAllowance}
   * @throws {Overloaded} if nothing was claimed
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

  /**
   * Returns the outcome of a run that was already started. This is free of charge: the run was paid for, or has failed.
   * @throws `refusal` if it was not started
   */
  async #told(
    key: RunKey,
    run: OnceRun,
    refusal: unknown,
  ): Promise<{ outcome: Promise<Outcome> } | undefined> {
    const known = await this.#known(key, run).catch(() => undefined)
    if (!known) throw refusal
    return known.state === 'ended' ? { outcome: Promise.resolve(known.outcome) } : undefined
  }

  /** Returns the state of a run without executing it. */
  async #known(key: RunKey, run: OnceRun): Promise<ClaimState | undefined> {
    const { claims } = this.#options
    // Reporting the loss again would use up this attempt too.
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

  /** Executes a claimed run. Further requests for the run join it. */
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

  /** Returns the promises of a run that this process executes, one for each account that claimed it. */
  underWay(runId: string): Promise<Outcome>[] {
    return [...(this.#underWay.get(runId)?.values() ?? [])]
  }

  isUnderWay({ accountHash, runId }: RunKey): boolean {
    return this.#underWay.get(runId)?.has(accountHash) ?? false
  }

  /** Checks permissions as of now, not as of the arrival of the request. */
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
        // Another outcome was stored first: this process was considered dead, and its execution is not charged.
        if (stored === outcome) settle(budget.reservation, outcome)
        return stored
      } catch (error) {
        this.#options.log('run.outcome_not_stored', { run_id: key.runId, error: nameOf(error) })
        await new Promise((resume) => setTimeout(resume, wait))
      }
    }
  }

  /** Called before anything is reserved or claimed, so that a flood is rejected without a query. */
  #requireRoom({ principal, ...request }: Execution): void {
    const refused = this.#options.pool.refusal({ account: principal.account.hash, ...request })
    if (refused?.full) throw new Overloaded(refused.reason, refused.retryAfterMs)
  }

  #reserve({ principal }: Execution): Promise<Reservation> {
    return this.#options.credits.reserve(payerOf(principal), EXECUTION_SECOND_CENTS)
  }

  /** Admits the run within the allowance for failed runs. */
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

/** Charges the amount in the outcome. A failure is free of charge. */
function settle(reservation: Reservation, outcome: Outcome): void {
  const { charged_cents, action_cid: subject } = outcome
  if (charged_cents > 0) reservation.settle('execution', charged_cents, { subject })
  reservation.release()
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}
