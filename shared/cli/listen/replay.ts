import { setTimeout as sleep } from 'node:timers/promises'
import { ActionFailed } from '../../client/failures/action-failed.ts'
import { Conflict, ServiceUnavailable, TooManyRequests } from '../../client/failures/by-status.ts'
import { NetworkFailed } from '../../client/failures/transport-errors.ts'
import type { ApiClient } from '../../client/api/client.ts'
import type { Run } from '../../client/triggers/records.ts'
import type { Cli } from '../cli.ts'
import { eventParams } from './deployed-events.ts'

/** Outcome of a replayed event. `unknown` if the response was lost: the event may have been replayed. */
export type LocalOutcome = {
  status: 'success' | 'failed' | 'unknown'
  response: unknown
  error: string | null
  logs: string[]
  /** ID of the run of the local trigger. */
  run_id?: string
}

export type Replay = (run: Run) => Promise<LocalOutcome>

const RETRY_FIRST_MS = 500
const RETRY_LAST_MS = 10_000

/**
 * Runs an action with the params of a run.
 * @param source reads the source, once for each event
 */
export function replayWithAction(
  client: ApiClient,
  source: () => Promise<string>,
  overrides: object,
): Replay {
  return async ({ input }) => {
    try {
      const js_params = { ...input, ...overrides }
      const { response, logs } = await client.svcAction({ code: await source(), js_params })
      return { status: 'success', response, error: null, logs: linesOf(logs) }
    } catch (error) {
      if (!(error instanceof ActionFailed)) throw error
      const text = error.actionStack || error.message
      return { status: 'failed', response: null, error: text, logs: linesOf(error.logs) }
    }
  }
}

/** Starts a test run of a trigger with the params that the event of a run added. */
export function replayWithTrigger(
  { triggers }: ApiClient,
  triggerId: string,
  overrides: object,
): Replay {
  return async (run) => {
    const params = { ...eventParams(run), ...overrides }
    const { run_id } = await triggers.test(triggerId, { params })
    try {
      const { status, response, error, logs } = await triggers.waitForRun(run_id)
      return {
        status: status === 'failed' ? 'failed' : 'success',
        response,
        error,
        logs: logs.map(({ text }) => text),
        run_id,
      }
    } catch (error) {
      // A retry would start another run.
      if (isNotAccepted(error)) return { ...unknownOutcome(error), run_id }
      throw error
    }
  }
}

/**
 * Retries while the local stack does not accept the event. An event that may have been replayed is never replayed again.
 * @throws an error that a retry would not solve, such as a missing permission
 */
export function retryUntilAccepted(replay: Replay, { terminal: { signal }, warn }: Cli): Replay {
  return async (run) => {
    for (let waitMs = RETRY_FIRST_MS; ; waitMs = Math.min(waitMs * 2, RETRY_LAST_MS)) {
      try {
        return await replay(run)
      } catch (error) {
        signal.throwIfAborted()
        if (isUnknown(error)) return unknownOutcome(error)
        if (!isNotAccepted(error)) throw error
        if (waitMs === RETRY_FIRST_MS) warn('The local stack does not respond. Retrying.')
        await sleep(waitMs, undefined, { signal })
      }
    }
  }
}

function isUnknown(error: unknown): error is NetworkFailed | Conflict {
  if (error instanceof NetworkFailed) return error.mayHaveBeenExecuted
  return error instanceof Conflict && error.code === 'outcome_unknown'
}

const unknownOutcome = ({ message }: Error): LocalOutcome => ({
  status: 'unknown',
  response: null,
  error: message,
  logs: [],
})

function isNotAccepted(
  error: unknown,
): error is NetworkFailed | ServiceUnavailable | TooManyRequests {
  return (
    error instanceof NetworkFailed ||
    error instanceof ServiceUnavailable ||
    error instanceof TooManyRequests
  )
}

function linesOf(logs: string): string[] {
  return logs === '' ? [] : logs.replace(/\n$/, '').split('\n')
}
