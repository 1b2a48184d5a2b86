/**
 * Recovers from lost responses of the trigger service. Except for bulk replays, the service does not support the
 * `Idempotency-Key` header, so a request cannot simply be repeated.
 */
import { Conflict, NotFound, ServiceUnavailable } from '../failures/by-status.ts'
import { NetworkFailed, NotTheApi } from '../failures/transport-errors.ts'
import type { CallOptions } from '../options.ts'
import type { ClientRequest } from '../request.ts'
import { triggerBody, runPath, type TriggersParts, triggerIdOf } from './send-request.ts'
import type { Run, FiredRun } from './records.ts'
import { fetchRun } from './wait-for-run.ts'

// Advice for a lost response to a creation. The client cannot find the created trigger itself, because another trigger
// may have the same fields.
export const CHECK_LIST_FIX =
  'A trigger may have been created. Before you retry, look for the trigger in triggers.list(), which lists the newest first. If it exists, use or delete it.'
export const CHECK_RUNS_FIX = 'Before you retry, call triggers.runs(id) to check the outcome.'

type TriggerWrite = Omit<ClientRequest, 'credential' | 'options' | 'repeat'>

/**
 * @param fix advice for finding out whether the write took effect
 * @throws {NetworkFailed} with the advice, if the response was lost
 */
export async function sendOnce<Body>(
  parts: TriggersParts,
  write: TriggerWrite,
  options: CallOptions | undefined,
  fix: string,
): Promise<Body> {
  try {
    return await triggerBody<Body>(parts, { ...write, repeat: 'never' }, options)
  } catch (error) {
    if (!(error instanceof NetworkFailed) || !error.mayHaveBeenExecuted) throw error
    throw new NetworkFailed({ mayHaveBeenExecuted: true, fix }, { cause: error })
  }
}

/** If a response is lost and the retry gets 404, the deletion counts as successful. */
export async function deleteOnce(
  parts: TriggersParts,
  path: string,
  options?: CallOptions,
): Promise<void> {
  const write: TriggerWrite = { method: 'DELETE', path }
  try {
    await triggerBody(parts, { ...write, repeat: 'never' }, options)
  } catch (error) {
    if (!mayHaveTakenEffect(error)) throw error
    await triggerBody(parts, { ...write, repeat: 'idempotent' }, options).catch(
      (again: unknown) => {
        if (!(again instanceof NotFound)) throw again
      },
    )
  }
}

/**
 * Cancels a run. After a lost response, a retry may get a conflict, because the run is no longer queued. The run's
 * record then shows whether the run was cancelled.
 */
export async function cancelRun(
  parts: TriggersParts,
  runId: string,
  options?: CallOptions,
): Promise<Run> {
  const write: TriggerWrite = { method: 'POST', path: `${runPath(runId)}/cancel` }
  try {
    return await triggerBody<Run>(parts, { ...write, repeat: 'never' }, options)
  } catch (error) {
    if (!mayHaveTakenEffect(error)) throw error
  }
  try {
    return await triggerBody<Run>(parts, { ...write, repeat: 'idempotent' }, options)
  } catch (error) {
    if (!(error instanceof Conflict)) throw error
    const run = await fetchRun(parts, runId, options)
    if (run.status === 'failed' && run.error?.startsWith('cancelled: ')) return run
    throw error
  }
}

function mayHaveTakenEffect(error: unknown): boolean {
  if (error instanceof NotTheApi) return (error.status ?? 0) >= 500
  if (error instanceof NetworkFailed) return error.mayHaveBeenExecuted
  return error instanceof ServiceUnavailable
}

/**
 * Options of `fire`. With `idempotencyKey`, the event is sent again after a lost response. Set the key only for
 * triggers with `options.dedup`.
 */
export type FireOptions = CallOptions

/**
 * Posts an event unmodified and without a credential, as its sender would.
 * @param headers additional headers, for example a signature. A content type is optional for JSON
 * @throws {ServiceUnavailable} `trigger_disabled`
 */
export async function fire(
  { requester }: TriggersParts,
  triggerId: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
  options: FireOptions = {},
): Promise<FiredRun> {
  const path = `/webhook/${triggerIdOf(triggerId)}`
  const repeat = options.idempotencyKey === undefined ? 'never' : 'once'
  try {
    const request = { method: 'POST', path, body, headers, repeat, options } as const
    return (await requester.edge<FiredRun>(request)).body
  } catch (error) {
    if (!(error instanceof NetworkFailed) || !error.mayHaveBeenExecuted || repeat === 'once')
      throw error
    throw new NetworkFailed({ mayHaveBeenExecuted: true, fix: CHECK_RUNS_FIX }, { cause: error })
  }
}
