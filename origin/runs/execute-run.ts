import { originLost } from './claims.ts'
import { capabilityFor } from './capability.ts'
import { runWithMeter } from './run-with-meter.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { refreshPrincipal } from '../accounts/refresh-principal.ts'
import type { AccountsMirror } from '../accounts/mirror.ts'
import type { Principal } from '../accounts/account.ts'
import type { ActionPool } from '../actions/run.ts'
import { OverloadedError } from '../admission/event-loop-load.ts'
import type { RunBudget } from '../credits/run-meter.ts'
import type { Keyring } from '../keys/keyring.ts'
import type { OriginLog } from '../log.ts'
import type { ReceiptSigner } from '../receipts/receipt-signer.ts'

/** Thrown if no code was executed, so that the run may be retried. */
export class ExecutorUnavailableError extends Error {
  override readonly name = 'ExecutorUnavailableError'
}

export type ExecuteRunOptions = {
  pool: ActionPool
  keyring: Keyring
  mirror: Pick<AccountsMirror, 'current'>
  limits: { wallMs: number; cpuMs: number }
  receipts: ReceiptSigner
  log: OriginLog
}

export type ExecutionRequest = {
  principal: Principal
  code: string
  /** Params, serialized as a JSON object. */
  params: string
  /** Size of the request in bytes. The request stays in memory until the response is sent. */
  heldBytes?: number
  /**
   * Signal that is aborted when the client disconnects, so that a run that has not started is dropped. Not set for a
   * run with an ID, because other requests may wait for its outcome.
   */
  unwanted?: AbortSignal
  /** Called when an executor starts the run. */
  onStarted?: () => void
}

/**
 * Signs the receipt of an executed run before its outcome is stored or returned.
 * @param budget reservations of the run; the credit reservation stays open, and the caller must settle it
 * @throws {ExecutorUnavailableError | OverloadedError} if nothing was executed
 */
export async function executeRun(
  options: ExecuteRunOptions,
  { principal, code, params, heldBytes, unwanted, onStarted }: ExecutionRequest,
  { cid, budget, runId }: { cid: string; budget: RunBudget; runId?: string },
): Promise<Outcome> {
  const { pool, keyring, mirror, limits, receipts, log } = options
  const facts = { cid, ...(runId !== undefined && { run_id: runId }) }
  log('run.started', facts)
  const capability = capabilityFor(keyring, cid, () =>
    refreshPrincipal(principal, mirror.current()),
  )
  const accountHash = principal.account.hash
  const request = {
    account: accountHash,
    code,
    params,
    ...(heldBytes !== undefined && { heldBytes }),
    ...limits,
  }
  const ended = await runWithMeter(pool, request, capability, { cid, budget, unwanted, onStarted })
  if ('kind' in ended) {
    log('run.lost', { ...facts, started: ended.started })
    if (ended.full) throw new OverloadedError(ended.reason, ended.retryAfterMs)
    if (!ended.started) throw new ExecutorUnavailableError(ended.reason)
    // A lost run gets no receipt, because it is unknown what the run did.
    return originLost(cid)
  }
  const kind = ended.status === 'success' ? 'returned' : 'failed'
  log('run.ended', { ...facts, kind, ms: ended.duration_ms })
  return receipts.addReceipt({ accountHash, params, runId }, ended)
}
