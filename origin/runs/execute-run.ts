import { originLost } from './claims.ts'
import { capabilityFor } from './capability.ts'
import { traceparentOf } from './run-traceparent.ts'
import { isDeeperThan } from '../../shared/json/json-depth.ts'
import { EXECUTION_SECOND_CENTS, JSON_DEPTH_MAX } from '../../shared/limits.ts'
import { formatUsd } from '../../shared/usd.ts'
import type { Span } from '../../shared/telemetry/tracer.ts'
import type { LogLine } from '../../shared/wire/log-line.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { refreshPrincipal } from '../accounts/refresh-principal.ts'
import type { AccountsMirror } from '../accounts/mirror.ts'
import type { Principal } from '../accounts/account.ts'
import type {
  ActionPool,
  Capability,
  FailedResult,
  LostResult,
  RunRequest,
  ReturnedResult,
} from '../actions/run.ts'
import { DrainingError } from '../admission/drain.ts'
import { OverloadedError } from '../admission/event-loop-load.ts'
import { executionCents, type RunBudget, RunMeter } from '../credits/run-meter.ts'
import type { Keyring } from '../keys/keyring.ts'
import type { OriginLog } from '../log.ts'
import type { PolicySigner } from '../policies/policy-signer.ts'
import type { ReceiptSigner } from '../receipts/receipt-signer.ts'
import { ExecutionSpans } from '../telemetry/execution-spans.ts'
import type { TransactionService } from '../transactions/types.ts'
import type { UsageKeyLimits } from '../usage-keys/usage-key-limits.ts'

/** Thrown if no code was executed, so that the run may be retried. */
export class ExecutorUnavailableError extends Error {
  override readonly name = 'ExecutorUnavailableError'
}

export type ExecuteRunOptions = {
  pool: ActionPool
  keyring: Keyring
  mirror: Pick<AccountsMirror, 'current'>
  keyLimits: Pick<UsageKeyLimits, 'requireUnexpired'>
  limits: { wallMs: number; cpuMs: number }
  receipts: ReceiptSigner
  policySigner: PolicySigner
  /** Sends transactions. If omitted, actions cannot send any. */
  transactions?: TransactionService
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
  /** Parent of the spans of the execution, if the trace is sampled. */
  span?: Span | undefined
  /** Called with console output while the run is in progress. */
  onPrinted?: (lines: readonly LogLine[]) => void
}

/**
 * Signs the receipt of an executed run before its outcome is stored or returned.
 * @param budget reservations of the run; the credit reservation stays open, and the caller must settle it
 * @throws {ExecutorUnavailableError | OverloadedError | DrainingError} if nothing was executed
 */
export async function executeRun(
  options: ExecuteRunOptions,
  { principal, code, params, heldBytes, unwanted, ...execution }: ExecutionRequest,
  { cid, budget, runId }: { cid: string; budget: RunBudget; runId?: string },
): Promise<Outcome> {
  const { pool, keyring, mirror, keyLimits, limits, receipts, policySigner, transactions, log } =
    options
  const facts = { cid, ...(runId !== undefined && { run_id: runId }) }
  const spans = execution.span && new ExecutionSpans(execution.span)
  const onStarted = () => {
    log('run.started', facts)
    spans?.started()
    execution.onStarted?.()
  }
  const currentPrincipal = () => refreshPrincipal(principal, mirror.current(), keyLimits)
  const sending = transactions && { service: transactions, runId }
  const capability = capabilityFor(
    keyring,
    cid,
    currentPrincipal,
    policySigner,
    sending,
    traceparentOf({ runId, spanContext: spans && (() => spans.context) }),
  )
  const accountHash = principal.account.hash
  const request = {
    account: accountHash,
    code,
    params,
    ...(heldBytes !== undefined && { heldBytes }),
    ...limits,
  }
  const measured = spans?.measure(capability) ?? capability
  const { onPrinted } = execution
  const metering = { cid, budget, unwanted, onStarted, onPrinted, spans }
  const ended = await runWithMeter(pool, request, measured, metering)
  const signatures = capability.end()
  const requested = await capability.transactions()
  if ('kind' in ended) {
    if (ended.draining) throw new DrainingError()
    log('run.lost', { ...facts, started: ended.started })
    if (ended.full) throw new OverloadedError(ended.reason, ended.retryAfterMs)
    if (!ended.started) throw new ExecutorUnavailableError(ended.reason)
    // A lost run gets no receipt, because it is unknown what the run did.
    return originLost(cid)
  }
  const kind = ended.status === 'success' ? 'returned' : 'failed'
  log('run.ended', { ...facts, kind, ms: ended.duration_ms })
  return receipts.addReceipt(
    { accountHash, params, runId, signatures, transactions: requested },
    ended,
  )
}

/**
 * Executes a run, and reserves credits for each second. The reservation stays open. The caller that stores the outcome
 * charges `charged_cents`, so that nothing is charged if another process has already stored an outcome.
 */
async function runWithMeter(
  pool: ActionPool,
  request: RunRequest,
  capability: Capability,
  { cid, budget, unwanted, onStarted, onPrinted, spans }: MeterOptions,
): Promise<Outcome | LostResult> {
  const { reservation, allowance } = budget
  const stop = new AbortController()
  const meter = new RunMeter(budget, () => stop.abort())
  const control = {
    signal: stop.signal,
    started: () => {
      meter.start()
      onStarted()
    },
    ...(unwanted && { unwanted }),
    ...(onPrinted && { printed: onPrinted }),
  }
  const result = await pool.run(request, capability, control)
  spans?.ended(result)
  const duration_ms = meter.end(result.kind === 'lost' ? 0 : result.durationMs)
  if (result.kind === 'lost') {
    if (result.started) allowance.finish(meter.measuredMs, { failed: true })
    else allowance.release()
    return result
  }
  const ended = { action_cid: cid, duration_ms, logs: result.logs, charged_cents: 0 }
  const outcome = outcomeOf(result, ended, meter.stopped, reservation.cents)
  // A stop because of an unavailable ledger does not count as a failure, because the action did not cause the stop.
  const failed = outcome.status === 'failed' && outcome.code !== 'credits_unavailable'
  allowance.finish(duration_ms, { failed })
  return outcome
}

function outcomeOf(
  result: ReturnedResult | FailedResult,
  ended: OutcomeBase,
  stop: RunMeter['stopped'],
  reservedCents: number,
): Outcome {
  const cents = executionCents(ended.duration_ms)
  // If the action returned within the seconds that were paid for, its value counts, even if the run was already being
  // stopped.
  if (stop && (result.kind === 'returned' ? cents > reservedCents : result.code === 'stopped'))
    return stoppedOutcome(stop, ended, reservedCents)
  if (result.kind === 'returned') {
    // The timer that reserves credits may fire late. Time that was not reserved is not charged.
    const charged_cents = Math.min(cents, reservedCents)
    return returnedOutcome(result.value, { ...ended, charged_cents })
  }
  const { code, message, stack } = result
  return { status: 'failed', ...ended, code, message, stack }
}

type MeterOptions = {
  cid: string
  budget: RunBudget
  unwanted: AbortSignal | undefined
  onStarted: () => void
  spans: ExecutionSpans | undefined
  onPrinted: ExecutionRequest['onPrinted']
}

type OutcomeBase = Pick<Outcome, 'action_cid' | 'duration_ms' | 'logs' | 'charged_cents'>

/** The run counts as failed, and is not restarted when credits become available. */
function stoppedOutcome(
  { reason, afterMs }: NonNullable<RunMeter['stopped']>,
  ended: OutcomeBase,
  reservedCents: number,
): Outcome {
  const after = `The run was stopped after ${afterMs / 1000} s:`
  const price = formatUsd(EXECUTION_SECOND_CENTS, 'plain')
  const reasons = {
    out_of_credits: `the next second costs ${price}, but the balance is $0.00 after the ${formatUsd(reservedCents, 'plain')} reserved for this run`,
    spend_cap_reached: `the next second costs ${price}, but the key has reached its spending cap`,
    failed_execution_allowance: 'the free allowance for failed runs is exhausted',
    credits_unavailable: 'the ledger does not respond',
  }
  const message = `${after} ${reasons[reason]}. Nothing was charged.`
  return { status: 'failed', ...ended, code: reason, message, stack: '' }
}

/** Verifies that the value is valid JSON of limited depth, because the executor is not trusted. */
function returnedOutcome(value: string, ended: OutcomeBase): Outcome {
  const refuse = (message: string): Outcome => {
    const nothing = { ...ended, charged_cents: 0 }
    return { status: 'failed', ...nothing, code: 'result_not_json', message, stack: '' }
  }
  let response: unknown
  try {
    response = JSON.parse(value)
  } catch {
    return refuse('the response is not JSON')
  }
  if (isDeeperThan(response, JSON_DEPTH_MAX))
    return refuse(
      `the response is nested more than ${JSON_DEPTH_MAX} levels deep; flatten it, or return it as a string`,
    )
  return { status: 'success', ...ended, response }
}
