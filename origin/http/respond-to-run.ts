import type { Outcome } from '../../shared/wire/outcome.ts'
import type { ExecuteResponse } from '../../shared/wire/sealed.ts'
import type { JoinedRun } from '../runs/executions.ts'
import { undefinedAfter } from '../timeout.ts'

/** Maximum time for which a request waits for the start of its run. */
const QUEUED_WAIT_MAX_MS = 10_000

/**
 * @param begun undefined if another process executes the run
 * @param waitMs wait after the start of the run; 0 to respond immediately
 */
export async function responseTo(
  begun: JoinedRun | undefined,
  waitMs: number,
): Promise<ExecuteResponse> {
  const outcome = begun && (await outcomeWithin(waitMs, begun))
  return outcome ? { state: 'ended', outcome } : { state: 'running' }
}

/** Waits from the start of the run, so that a run that is queued behind others does not have to be polled for. */
async function outcomeWithin(
  waitMs: number,
  { outcome, started }: JoinedRun,
): Promise<Outcome | undefined> {
  if (waitMs > 0) await undefinedAfter(QUEUED_WAIT_MAX_MS, Promise.race([started, outcome]))
  return undefinedAfter(waitMs, outcome)
}
