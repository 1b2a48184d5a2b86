import { isDeeper } from '../../shared/json-depth.ts'
import { EXECUTION_SECOND_CENTS, JSON_DEPTH_MAX } from '../../shared/limits.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import type {
  ActionPool,
  Capability,
  RunFailed,
  RunLost,
  RunRequest,
  RunReturned,
} from '../actions/run.ts'
import { dollars } from '../credits/dollars.ts'
import { executionCents, type RunBudget, RunMeter } from '../credits/run-meter.ts'

/**
 * Reserves credits for each second while the run executes. The reservation stays open. The caller that stores the
 * outcome charges `charged_cents`, so that nothing is charged if another process has already stored an outcome.
 */
export async function meteredRun(
  pool: ActionPool,
  request: RunRequest,
  capability: Capability,
  { cid, budget, unwanted }: Metering,
): Promise<Outcome | RunLost> {
  const { reservation, allowed } = budget
  const stop = new AbortController()
  const meter = new RunMeter(budget, () => stop.abort())
  const control = {
    signal: stop.signal,
    started: () => meter.start(),
    ...(unwanted && { unwanted }),
  }
  const result = await pool.run(request, capability, control)
  const duration_ms = meter.end(result.kind === 'lost' ? 0 : result.durationMs)
  if (result.kind === 'lost') {
    if (result.started) allowed.ended(meter.measuredMs, { failed: true })
    else allowed.release()
    return result
  }
  const ended = { action_cid: cid, duration_ms, logs: result.logs, charged_cents: 0 }
  const outcome = outcomeOf(result, ended, meter.stopped, reservation.cents)
  // The action did not cause a stop by an unavailable ledger.
  const failed = outcome.status === 'failed' && outcome.code !== 'credits_unavailable'
  allowed.ended(duration_ms, { failed })
  return outcome
}

function outcomeOf(
  result: RunReturned | RunFailed,
  ended: Ended,
  stop: RunMeter['stopped'],
  reservedCents: number,
): Outcome {
  const cents = executionCents(ended.duration_ms)
  // If the action returned within the seconds that were paid for, its value counts, even if a stop was already sent.
  if (stop && (result.kind === 'returned' ? cents > reservedCents : result.code === 'stopped'))
    return stopped(stop, ended, reservedCents)
  if (result.kind === 'returned') {
    // The timer that reserves credits may fire late. Time that was not reserved is not charged.
    const charged_cents = Math.min(cents, reservedCents)
    return returned(result.value, { ...ended, charged_cents })
  }
  const { code, message, stack } = result
  return { status: 'failed', ...ended, code, message, stack }
}

type Metering = { cid: string; budget: RunBudget; unwanted: AbortSignal | undefined }

type Ended = Pick<Outcome, 'action_cid' | 'duration_ms' | 'logs' | 'charged_cents'>

/** A run that was stopped while running counts as failed, and is not restarted when credits become available. */
function stopped(
  { why, afterMs }: NonNullable<RunMeter['stopped']>,
  ended: Ended,
  reservedCents: number,
): Outcome {
  const after = `The run was stopped after ${afterMs / 1000} s:`
  const price = dollars(EXECUTION_SECOND_CENTS)
  const reasons = {
    out_of_credits: `the next second costs ${price}, but the balance is $0.00 after the ${dollars(reservedCents)} reserved for this run`,
    spend_cap_reached: `the next second costs ${price}, but the key has reached its spending cap`,
    failed_execution_allowance: 'the free allowance for failed runs is exhausted',
    credits_unavailable: 'the ledger does not respond',
  }
  const message = `${after} ${reasons[why]}. Nothing was charged.`
  return { status: 'failed', ...ended, code: why, message, stack: '' }
}

/** Verifies that the value is valid JSON of limited depth, because the executor is not trusted. */
function returned(value: string, ended: Ended): Outcome {
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
  if (isDeeper(response, JSON_DEPTH_MAX))
    return refuse(
      `the response is nested more than ${JSON_DEPTH_MAX} levels deep; flatten it, or return it as a string`,
    )
  return { status: 'success', ...ended, response }
}
