import type { ClaimState, RunClaims } from './claims.ts'
import { executeRun, type ExecuteRunOptions, type ExecutionRequest } from './execute-run.ts'
import type { RunKey } from './outcome-codec.ts'
import { EXECUTION_SECOND_CENTS } from '../../shared/limits.ts'
import { traced } from '../../shared/telemetry/tracer.ts'
import type { LogLine } from '../../shared/wire/log-line.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { refreshPrincipal } from '../accounts/refresh-principal.ts'
import { mayRunInEveryGroup, permissionToRun, type RunPermission } from '../accounts/permissions.ts'
import type { Drain } from '../admission/drain.ts'
import { OverloadedError } from '../admission/event-loop-load.ts'
import type { Principal } from '../accounts/account.ts'
import type { SourceCids } from '../actions/source-cid/source-cids.ts'
import type { AllowanceReservation } from '../credits/allowance-reservation.ts'
import type { Payer } from '../credits/budget-names.ts'
import type { Credits } from '../credits/credits.ts'
import type { Reservation } from '../credits/reservation.ts'
import type { RunBudget } from '../credits/run-meter.ts'
import type { KeyConcurrency, RunSlot } from '../usage-keys/key-concurrency.ts'
import type { KeyRate } from '../usage-keys/key-rate.ts'

/** Thrown if no group of a valid API key permits the key to run the action. */
export class ActionNotPermittedError extends Error {
  override readonly name = 'ActionNotPermittedError'
  readonly cid: string
  /**
   * True if the action is in no group of the account. Known only for keys that may execute in every group; false for
   * all other keys.
   */
  readonly isInNoGroup: boolean
  constructor(cid: string, isInNoGroup: boolean) {
    super(`the key is not allowed to run the action ${cid}`)
    this.cid = cid
    this.isInNoGroup = isInNoGroup
  }
}

type RunOnceRequest = { id: string; attempt: number; retry_lost?: boolean | undefined }

/** Promises are wrapped in an object because an async function would await a returned promise. */
export type JoinedRun = {
  outcome: Promise<Outcome>
  /** Resolves when an executor starts the run. Never resolves if the run ends without having been started. */
  started: Promise<void>
}

type RunInFlight = JoinedRun & {
  /** Console output so far. */
  logs: LogLine[]
}

export type ExecutionsOptions = ExecuteRunOptions & {
  sourceCids: Pick<SourceCids, 'of'>
  claims: RunClaims
  credits: Credits
  keyRate: Pick<KeyRate, 'take'>
  keyConcurrency: Pick<KeyConcurrency, 'start'>
  drain: Pick<Drain, 'requireOpen' | 'track'>
}

/** Storing is retried until it succeeds, because other processes cannot read the outcome before it is stored. */
const FINISH_RETRY_MS = 250
const FINISH_RETRY_MAX_MS = 10_000

/** Executes runs. A run with an ID is executed at most once; a run without an ID is executed for each request. */
export class Executions {
  readonly #options: ExecutionsOptions
  /**
   * Runs in flight, by run ID and then by account. Two accounts may use the same run ID, and only the account that
   * started a run may receive its outcome.
   */
  readonly #inFlight = new Map<string, Map<string, RunInFlight>>()

  constructor(options: ExecutionsOptions) {
    this.#options = options
  }

  /**
   * Executes a run without an ID.
   * @throws {PaymentRequiredError | SpendCapReachedError | CreditsUnavailableError | ActionNotPermittedError |
   * AllowanceExhaustedError | ExecutorUnavailableError | OverloadedError | DrainingError | KeyConcurrencyError}
   */
  async run(execution: ExecutionRequest): Promise<Outcome> {
    this.#requireRoom(execution)
    const slot = await this.#options.keyConcurrency.start(execution.principal)
    let reservation: Reservation | undefined
    let allowance: AllowanceReservation | undefined
    try {
      reservation = await this.#reserve(execution)
      const permission = await this.#permit(execution)
      allowance = await this.#admit(execution, permission)
      const { cid } = permission
      const budget = { reservation, allowance }
      const outcome = await executeRun(this.#options, execution, { cid, budget })
      settle(reservation, outcome)
      return outcome
    } finally {
      reservation?.release()
      allowance?.release()
      slot?.release()
    }
  }

  /**
   * Starts a run with an ID, or returns the outcome of the same run if it is already in flight. The claim of the run is
   * durable when the returned promise resolves.
   * @param run if `retry_lost` is set, the run is executed again after an earlier attempt ended as `origin_lost`
   * @returns undefined if another process executes the run
   * @throws {PaymentRequiredError | SpendCapReachedError | CreditsUnavailableError | ActionNotPermittedError |
   * AllowanceExhaustedError}
   * @throws {OverloadedError | DrainingError} if nothing was claimed
   */
  runOnce(execution: ExecutionRequest, run: RunOnceRequest): Promise<JoinedRun | undefined> {
    return this.#options.drain.track(this.#runOnce(execution, run))
  }

  async #runOnce(execution: ExecutionRequest, run: RunOnceRequest): Promise<JoinedRun | undefined> {
    const key = { accountHash: execution.principal.account.hash, runId: run.id }
    const joined = this.#inFlight.get(key.runId)?.get(key.accountHash)
    if (joined) return joined
    let slot: RunSlot | undefined
    let reservation: Reservation
    try {
      this.#requireRoom(execution)
      const { keyConcurrency, keyRate } = this.#options
      // The rate is counted last, so that a run that waits for other runs does not use it up.
      slot = await keyConcurrency.start(execution.principal)
      await keyRate.take(execution.principal)
      reservation = await this.#reserve(execution)
    } catch (error) {
      slot?.release()
      return this.#knownOutcome(key, run, error)
    }
    return this.#claim(key, run, execution, { reservation, slot })
  }

  /**
   * Returns the outcome of a run that was already started, after a new execution was refused. The request is free of
   * charge, because the run was already paid for or has failed.
   * @throws `refusal` if the run was not started before
   */
  async #knownOutcome(
    key: RunKey,
    run: RunOnceRequest,
    refusal: unknown,
  ): Promise<JoinedRun | undefined> {
    const known = await this.#knownState(key, run).catch(() => undefined)
    if (!known) throw refusal
    return endedRun(known)
  }

  async #knownState(key: RunKey, run: RunOnceRequest): Promise<ClaimState | undefined> {
    const { claims } = this.#options
    // The caller asked to retry a lost run. Returning the earlier loss as the outcome would use up this attempt too.
    if (run.retry_lost && (await claims.isLost(key, run.attempt))) return undefined
    return claims.state(key)
  }

  async #claim(
    key: RunKey,
    run: RunOnceRequest,
    execution: ExecutionRequest,
    { reservation, slot }: { reservation: Reservation; slot: RunSlot | undefined },
  ): Promise<JoinedRun | undefined> {
    const { claims } = this.#options
    let claimed = false
    let allowance: AllowanceReservation | undefined
    try {
      const permitted = await this.#permit(execution)
      try {
        allowance = await this.#admit(execution, permitted)
        // The admission may have waited for other runs.
        this.#options.drain.requireOpen()
      } catch (error) {
        return await this.#knownOutcome(key, run, error)
      }
      claimed =
        (await traced(execution.span, 'run.claim', () => claims.claim(key, run.attempt))) ||
        (run.retry_lost === true && (await claims.takeOver(key, run.attempt)))
      const budget = { reservation, allowance }
      if (claimed) return this.#startClaimed(key, permitted, execution, budget, slot)
    } finally {
      if (!claimed) {
        reservation.release()
        allowance?.release()
        slot?.release()
      }
    }
    return endedRun(await claims.state(key))
  }

  /** Executes a claimed run, and registers the run so that further requests can wait for its outcome. */
  #startClaimed(
    key: RunKey,
    permitted: RunPermission,
    execution: ExecutionRequest,
    budget: RunBudget,
    slot: RunSlot | undefined,
  ): JoinedRun {
    const { accountHash, runId } = key
    const { promise: started, resolve: onStarted } = Promise.withResolvers<void>()
    const logs: LogLine[] = []
    const onPrinted = (lines: readonly LogLine[]) => void logs.push(...lines)
    const observed = { ...execution, onStarted, onPrinted }
    const executed = this.#executeClaimed(key, permitted, observed, budget)
    const outcome = this.#options.drain.track(
      executed.finally(() => {
        budget.reservation.release()
        budget.allowance.release()
        slot?.release()
      }),
    )
    const joined = { outcome, started, logs }
    const ofRun = this.#inFlight.get(runId) ?? new Map<string, RunInFlight>()
    this.#inFlight.set(runId, ofRun.set(accountHash, joined))
    const forget = () => {
      ofRun.delete(accountHash)
      if (ofRun.size === 0) this.#inFlight.delete(runId)
    }
    outcome.then(forget, forget)
    return joined
  }

  /** Each account that claimed the ID has its own run. */
  inFlight(runId: string): Promise<Outcome>[] {
    return [...(this.#inFlight.get(runId)?.values() ?? [])].map(({ outcome }) => outcome)
  }

  /**
   * Returns the console output so far of a run in flight in this process.
   * @returns undefined if this process does not execute the run
   */
  logsOf(runId: string): readonly LogLine[] | undefined {
    return [...(this.#inFlight.get(runId)?.values() ?? [])].at(-1)?.logs
  }

  isInFlight({ accountHash, runId }: RunKey): boolean {
    return this.#inFlight.get(runId)?.has(accountHash) ?? false
  }

  /** Checks the current permissions, which may have changed since the request arrived. */
  #permit({ principal: sender, code, span }: ExecutionRequest): Promise<RunPermission> {
    return traced(span, 'permissions.check', () => this.#findPermission(sender, code))
  }

  async #findPermission(sender: Principal, code: string): Promise<RunPermission> {
    const { mirror, keyLimits, sourceCids } = this.#options
    const cid = await sourceCids.of(code)
    const principal = refreshPrincipal(sender, mirror.current(), keyLimits)
    const permission = permissionToRun(principal, cid)
    if (!permission) throw new ActionNotPermittedError(cid, mayRunInEveryGroup(principal))
    return permission
  }

  async #executeClaimed(
    key: RunKey,
    { cid }: RunPermission,
    execution: ExecutionRequest,
    budget: RunBudget,
  ): Promise<Outcome> {
    let outcome: Outcome
    try {
      const { runId } = key
      outcome = await executeRun(this.#options, execution, { cid, budget, runId })
    } catch (error) {
      await this.#options.claims.release(key)
      throw error
    }
    for (let wait = FINISH_RETRY_MS; ; wait = Math.min(wait * 2, FINISH_RETRY_MAX_MS)) {
      try {
        const stored = await traced(execution.span, 'outcome.store', () =>
          this.#options.claims.finish(key, outcome),
        )
        // If another outcome was stored first, this process was considered dead, so its execution is not charged.
        if (stored === outcome) settle(budget.reservation, outcome)
        return stored
      } catch (error) {
        const name = error instanceof Error ? error.name : 'unknown'
        this.#options.log('run.outcome_not_stored', { run_id: key.runId, error: name })
        await new Promise((resume) => setTimeout(resume, wait))
      }
    }
  }

  /**
   * Must be called before anything is reserved or claimed, so that a flood of requests is rejected without database
   * queries.
   */
  #requireRoom({ principal, ...request }: ExecutionRequest): void {
    const { drain, pool } = this.#options
    drain.requireOpen()
    const refused = pool.refusal({ account: principal.account.hash, ...request })
    if (refused?.full) throw new OverloadedError(refused.reason, refused.retryAfterMs)
  }

  #reserve({ principal, span }: ExecutionRequest): Promise<Reservation> {
    return traced(span, 'credits.reserve', () =>
      this.#options.credits.reserve(payerOf(principal), EXECUTION_SECOND_CENTS),
    )
  }

  #admit(
    { principal, code, params, heldBytes = 0, span }: ExecutionRequest,
    { cid }: RunPermission,
  ): Promise<AllowanceReservation> {
    const { credits, limits } = this.#options
    const bytes = Math.max(heldBytes, code.length + params.length)
    return traced(span, 'allowance.reserve', () =>
      credits.admit(payerOf(principal), { cid, wallMs: limits.wallMs, bytes }),
    )
  }
}

function endedRun(known: ClaimState | undefined): JoinedRun | undefined {
  if (known?.state !== 'ended') return undefined
  return { outcome: Promise.resolve(known.outcome), started: Promise.resolve() }
}

function payerOf({ account, keyHash }: Principal): Payer {
  return { accountHash: account.hash, keyHash }
}

/** Failed runs are free of charge. */
function settle(reservation: Reservation, outcome: Outcome): void {
  const { charged_cents, action_cid: subject } = outcome
  if (charged_cents > 0) reservation.settle('execution', charged_cents, { subject })
  reservation.release()
}
