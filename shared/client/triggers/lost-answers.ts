/** Recovers from lost responses, because the trigger service does not support Idempotency-Key. */
import { Conflict, NotFound, ServiceUnavailable } from '../failures/by-status.ts'
import { NetworkFailed, NotTheApi } from '../failures/on-the-way.ts'
import type { CallOptions } from '../options.ts'
import type { Question } from '../request.ts'
import { ask, runPath, triggerPath, type TriggersParts } from './ask.ts'
import type { Run } from './records.ts'
import { runNow } from './wait-for-run.ts'

// The client cannot find a created trigger itself, because another trigger may have the same fields.
export const LOOK_AT_LIST =
  'A trigger may have been created. Look for it in triggers.list(), newest first, and use or delete it before you call again.'
export const LOOK_AT_RUNS = 'Check triggers.runs(id) for the outcome before you call again.'

type Write = Omit<Question, 'credential' | 'options' | 'repeat'>

/**
 * Sends a write without retries.
 * @param fix advice for finding out whether the write took effect
 * @throws {NetworkFailed} with the advice, if the response was lost
 */
export async function askOnce<Body>(
  parts: TriggersParts,
  write: Write,
  options: CallOptions | undefined,
  fix: string,
): Promise<Body> {
  try {
    return (await ask<Body>(parts, { ...write, repeat: 'never' }, options)).body
  } catch (error) {
    if (!(error instanceof NetworkFailed) || !error.mayHaveBeenExecuted) throw error
    throw new NetworkFailed({ mayHaveBeenExecuted: true, fix }, { cause: error })
  }
}

/** If a response is lost and the retry gets 404, the deletion counts as successful. */
export async function deleteTrigger(
  parts: TriggersParts,
  triggerId: string,
  options?: CallOptions,
): Promise<void> {
  const write: Write = { method: 'DELETE', path: triggerPath(triggerId) }
  try {
    await ask(parts, { ...write, repeat: 'never' }, options)
  } catch (error) {
    if (!isLost(error)) throw error
    await ask(parts, { ...write, repeat: 'idempotent' }, options).catch((again: unknown) => {
      if (!(again instanceof NotFound)) throw again
    })
  }
}

/**
 * After a lost response, a retry may get a conflict, because the run is no longer queued. The run's record then shows
 * whether the run was cancelled.
 */
export async function cancelRun(
  parts: TriggersParts,
  runId: string,
  options?: CallOptions,
): Promise<Run> {
  const write: Write = { method: 'POST', path: `${runPath(runId)}/cancel` }
  try {
    return (await ask<Run>(parts, { ...write, repeat: 'never' }, options)).body
  } catch (error) {
    if (!isLost(error)) throw error
  }
  try {
    return (await ask<Run>(parts, { ...write, repeat: 'idempotent' }, options)).body
  } catch (error) {
    if (!(error instanceof Conflict)) throw error
    const run = await runNow(parts, runId, options)
    if (run.status === 'failed' && run.error?.startsWith('cancelled: ')) return run
    throw error
  }
}

/** True if a write may have taken effect despite the error. */
function isLost(error: unknown): boolean {
  if (error instanceof NotTheApi) return (error.status ?? 0) >= 500
  if (error instanceof NetworkFailed) return error.mayHaveBeenExecuted
  return error instanceof ServiceUnavailable
}
