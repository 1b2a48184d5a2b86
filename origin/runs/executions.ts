import { originLost, type RunClaims } from './claims.ts'
import type { RunKey } from './outcome-codec.ts'
import { capabilityFor } from './capability.ts'
import { actionCid } from '../../shared/cid.ts'
import { isDeeper } from '../../shared/json-depth.ts'
import { JSON_DEPTH_MAX } from '../../shared/limits.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { permissionToRun, type RunPermission } from '../accounts/permissions.ts'
import type { Principal } from '../accounts/state.ts'
import type { ActionPool } from '../actions/run.ts'
import type { Keyring } from '../keys/keyring.ts'
import type { Log } from '../log.ts'

/** The key is valid, and no group lets it run this action. */
export class ActionNotPermitted extends Error {
  readonly cid: string
  constructor(cid: string) {
    super(`the key may not run the action ${cid}`)
    this.name = 'ActionNotPermitted'
    this.cid = cid
  }
}

/** No executor took the run; nothing of it was executed, and it may be sent again. */
export class ExecutorUnavailable extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'ExecutorUnavailable'
  }
}

export type Execution = {
  principal: Principal
  code: string
  /** JSON text of an object. */
  params: string
}

export type ExecutionsOptions = {
  pool: ActionPool
  keyring: Keyring
  claims: RunClaims
  limits: { wallMs: number; cpuMs: number }
  log: Log
}

/** A stored outcome is worth waiting for the database: until then nobody else may learn the run's end. */
const FINISH_RETRY_MS = 250
const FINISH_RETRY_MAX_MS = 10_000

/** Executes actions: plainly for a caller that waits, at most once for a run that has an id. */
export class Executions {
  readonly #options: ExecutionsOptions
  /** By run id. A claim is of an account, so only the same account joins. */
  readonly #underWay = new Map<string, { accountHash: string; outcome: Promise<Outcome> }>()

  constructor(options: ExecutionsOptions) {
    this.#options = options
  }

  /** @throws {ActionNotPermitted | ExecutorUnavailable} */
  async run(execution: Execution): Promise<Outcome> {
    return this.#start(await this.#permit(execution), execution, {})
  }

  /**
   * Begins a run under its id, or joins it. The claim is on disk when this returns.
   * @returns the outcome's promise; `undefined` where another process executes the run
   * @throws {ActionNotPermitted} and nothing was claimed
   */
  async runOnce(
    execution: Execution,
    run: { id: string; attempt: number },
  ): Promise<{ outcome: Promise<Outcome> } | undefined> {
    const key = { accountHash: execution.principal.account.hash, runId: run.id }
    const joined = this.#underWay.get(run.id)
    if (joined?.accountHash === key.accountHash) return { outcome: joined.outcome }
    const permitted = await this.#permit(execution)
    if (await this.#options.claims.claim(key, run.attempt)) {
      const outcome = this.#claimed(key, permitted, execution)
      if (!this.#underWay.has(run.id)) {
        this.#underWay.set(run.id, { accountHash: key.accountHash, outcome })
        const forget = () => this.#underWay.delete(run.id)
        outcome.then(forget, forget)
      }
      return { outcome }
    }
    const known = await this.#options.claims.state(key)
    return known?.state === 'ended' ? { outcome: Promise.resolve(known.outcome) } : undefined
  }

  /** The promise of a run that this process executes. */
  underWay(runId: string): Promise<Outcome> | undefined {
    return this.#underWay.get(runId)?.outcome
  }

  async #permit({ principal, code }: Execution): Promise<RunPermission> {
    const cid = await actionCid(code)
    const permission = permissionToRun(principal, cid)
    if (!permission) throw new ActionNotPermitted(cid)
    return permission
  }

  async #claimed(key: RunKey, permission: RunPermission, execution: Execution): Promise<Outcome> {
    let outcome: Outcome
    try {
      outcome = await this.#start(permission, execution, { run_id: key.runId })
    } catch (error) {
      await this.#options.claims.release(key)
      throw error
    }
    for (let wait = FINISH_RETRY_MS; ; wait = Math.min(wait * 2, FINISH_RETRY_MAX_MS)) {
      try {
        return await this.#options.claims.finish(key, outcome)
      } catch (error) {
        this.#options.log('run.outcome_not_stored', { run_id: key.runId, error: nameOf(error) })
        await new Promise((resume) => setTimeout(resume, wait))
      }
    }
  }

  async #start(
    permission: RunPermission,
    { principal, code, params }: Execution,
    facts: Record<string, string>,
  ): Promise<Outcome> {
    const { pool, keyring, limits, log } = this.#options
    log('run.started', { cid: permission.cid, ...facts })
    const capability = capabilityFor(keyring, principal, permission)
    const result = await pool.run({ code, params, ...limits }, capability)
    const common = { action_cid: permission.cid }
    if (result.kind === 'lost') {
      log('run.lost', { cid: permission.cid, started: result.started, ...facts })
      if (!result.started) throw new ExecutorUnavailable(result.reason)
      return originLost(permission.cid)
    }
    log('run.ended', { cid: permission.cid, kind: result.kind, ms: result.durationMs, ...facts })
    const ended = { ...common, duration_ms: result.durationMs, logs: result.logs }
    if (result.kind === 'returned') return returned(result.value, ended)
    const { code: failure, message, stack } = result
    return { status: 'failed', ...ended, code: failure, message, stack }
  }
}

type Ended = Pick<Outcome, 'action_cid' | 'duration_ms' | 'logs'>

/** A returned value that can be kept and passed on: checked here, since the executor is not to be trusted. */
function returned(value: string, ended: Ended): Outcome {
  const refuse = (message: string): Outcome => {
    return { status: 'failed', ...ended, code: 'result_not_json', message, stack: '' }
  }
  let response: unknown
  try {
    response = JSON.parse(value)
  } catch {
    return refuse('the response is not JSON')
  }
  if (isDeeper(response, JSON_DEPTH_MAX))
    return refuse(
      `the response is nested over ${JSON_DEPTH_MAX} deep; return it flatter, or as a string`,
    )
  return { status: 'success', ...ended, response }
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}
