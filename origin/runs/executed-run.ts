import { originLost } from './claims.ts'
import { capabilityFor } from './capability.ts'
import type { Execution, ExecutionsOptions } from './executions.ts'
import { meteredRun } from './metered-run.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { asOfNow } from '../accounts/as-of-now.ts'
import { Overloaded } from '../admission/event-loop-load.ts'
import type { RunBudget } from '../credits/run-meter.ts'

/** No executor took the run; nothing of it was executed, and it may be sent again. */
export class ExecutorUnavailable extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'ExecutorUnavailable'
  }
}

/**
 * Executes a permitted run at the pool. What ran has its receipt here, before anybody stores or sees the outcome.
 * @param budget stays open: who keeps the outcome settles it
 * @throws {ExecutorUnavailable | Overloaded} and nothing was executed
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
    // Nobody knows what it did: there is nothing to sign.
    return originLost(cid)
  }
  const kind = ended.status === 'success' ? 'returned' : 'failed'
  log('run.ended', { ...facts, kind, ms: ended.duration_ms })
  return receipts.signed({ accountHash, params, runId }, ended)
}
