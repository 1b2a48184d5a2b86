import { RUN_WAIT_MAX_S } from '../../limits.ts'
import { anySignal } from '../abortable.ts'
import type { CallOptions } from '../options.ts'
import { triggerBody, runPath, type TriggersParts } from './send-request.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'
import type { Run } from './records.ts'

/** Delay before the next poll if the server answers without waiting. */
const POLL_DELAY_MS = 1_000

/** Fetches a run. @param wait maximum time to wait until the run has finished, in seconds, up to 30 */
export async function fetchRun(
  parts: TriggersParts,
  runId: string,
  { wait, ...options }: CallOptions & { wait?: number } = {},
): Promise<Run> {
  const path = wait === undefined ? runPath(runId) : `${runPath(runId)}?wait=${wait}`
  return triggerBody(parts, { method: 'GET', path, repeat: 'idempotent' }, options)
}

/**
 * Waits until a run has finished, however long the run takes, and despite lost connections.
 * @throws {SvcError} immediately if the first request fails, so that a wrong address is reported
 */
export async function waitForRun(
  parts: TriggersParts,
  runId: string,
  options: CallOptions = {},
): Promise<Run> {
  const signal = anySignal(parts.signal, options.signal)
  let run = await fetchRun(parts, runId, options)
  while (run.finished_at === null) {
    const askedAt = parts.now()
    const wait = { ...options, wait: RUN_WAIT_MAX_S }
    run = await retryWhileUnavailable(() => fetchRun(parts, runId, wait), parts, signal)
    if (run.finished_at === null && parts.now() - askedAt < POLL_DELAY_MS)
      await parts.sleep(POLL_DELAY_MS, signal)
  }
  return run
}
