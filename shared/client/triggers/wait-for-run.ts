import { RUN_WAIT_MAX_S } from '../../limits.ts'
import { eitherSignal } from '../either-signal.ts'
import type { CallOptions } from '../options.ts'
import { ask, runPath, type TriggersParts } from './ask.ts'
import { patiently } from './patience.ts'
import type { Run } from './records.ts'

/** Delay before the next poll if the server answers without waiting. */
const UNWAITED_MS = 1_000

/** @param wait maximum time to wait until the run has finished, in seconds, up to 30 */
export async function runNow(
  parts: TriggersParts,
  runId: string,
  { wait, ...options }: CallOptions & { wait?: number } = {},
): Promise<Run> {
  const path = wait === undefined ? runPath(runId) : `${runPath(runId)}?wait=${wait}`
  return (await ask<Run>(parts, { method: 'GET', path, repeat: 'idempotent' }, options)).body
}

/**
 * Waits however long the run takes, and despite lost connections.
 * @throws {SvcError} immediately if the first request fails, so that a wrong address is reported
 */
export async function waitForRun(
  parts: TriggersParts,
  runId: string,
  options: CallOptions = {},
): Promise<Run> {
  const signal = eitherSignal(parts.signal, options.signal)
  let run = await runNow(parts, runId, options)
  while (run.finished_at === null) {
    const asked = parts.now()
    const wait = { ...options, wait: RUN_WAIT_MAX_S }
    run = await patiently(() => runNow(parts, runId, wait), parts, signal)
    if (run.finished_at === null && parts.now() - asked < UNWAITED_MS)
      await parts.sleep(UNWAITED_MS, signal)
  }
  return run
}
