import { originLost } from './claims.ts'
import { capabilityFor } from './capability.ts'
import type { Execution, ExecutionsOptions } from './executions.ts'
import { meteredRun } from './metered-run.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { asOfNow } from '../accounts/as-of-now.ts'
import { Overloaded } from '../admission/event-loop-load.ts'
import type { RunBudget } from '../credits/run-meter.ts'

/** No executor took the run. Nothing was executed, and the run may be sent again. */
export class ExecutorUnavailable extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'ExecutorUnavailable'
  }
}

/**
 * Executes a permitted run in the pool. A run that was executed gets its receipt here, before its outcome is stored or
 * returned.
 * @param budget stays open; the caller settles it
 * @throws {ExecutorUnavailable | Overloaded} if nothing was executed
 */
export async function executedRun(
  options: Pick<ExecutionsOptions, 'pool' | 'keyring' | 'mirror' | 'limits' | 'receipts' | 'log'>,
  { principal, code, params, heldBytes, unwanted }: Execution,
  { cid, budget, runId }: { cid: string; budget: RunBudget; runId?: string },
): Promise<Outcome> {
  const { pool, keyring, mirror, limits, receipts, log } = options
  const facts = { cid, ...(runId !== undefined && { run_id: runId }) }
  log('run.started', facts)
  const capability = capabilityFor(keyring, cid, () => asOfNow(principal, mirror.current()))
  const accountHash = principal.account.hash
  const request = {
    account: accountHash,
    code,
    params,
    ...(heldBytes !== undefined && { heldBytes }),
    ...limits,
  }
  const ended = await meteredRun(pool, request, capability, { cid, budget, unwanted })
  if ('kind' in ended) {
    log('run.lost', { ...facts, started: ended.started })
    if (ended.full) throw new Overloaded(ended.reason, ended.retryAfterMs)
    if (!ended.started) throw new ExecutorUnavailable(ended.reason)
    // The effects of the run are unknown, so there is nothing to sign.
    return originLost(cid)
  }
  const kind = ended.status === 'success' ? 'returned' : 'failed'
  log('run.ended', { ...facts, kind, ms: ended.duration_ms })
  return receipts.signed({ accountHash, params, runId }, ended)
}
