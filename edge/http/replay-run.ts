import type { Context } from 'hono'
import { TRIGGER_ID_CHARACTERS } from '../../shared/ids.ts'
import type { ReplayCode } from '../../shared/wire/run.ts'
import type { IntakeResult } from '../queue/intake.ts'
import type { AppEnv } from './app-env.ts'
import { queueOfRun } from './trigger-lookup.ts'

/**
 * Replays a single run. If it is a failed run, it is marked as replayed, which is best effort.
 * @throws {ApiError} 404 for an ID that this service did not issue
 */
export async function replayRun(
  c: Context<AppEnv>,
  ownerId: string,
  runId: string,
  code: ReplayCode,
): Promise<IntakeResult> {
  const queue = await queueOfRun(c, runId)
  const accepted = await queue.replay(ownerId, runId, code)
  if (accepted.state === 'queued') {
    const [triggerId, suffix] = splitRunId(runId)
    const [, newSuffix] = splitRunId(accepted.runId)
    const reports = c.env.USER_REPORTS.getByName(ownerId)
    const marked = Promise.resolve(reports.recordReplay(triggerId, suffix, newSuffix))
    c.var.services.waitUntil(marked.catch(() => undefined))
  }
  return accepted
}

const splitRunId = (runId: string) =>
  [runId.slice(0, TRIGGER_ID_CHARACTERS), runId.slice(TRIGGER_ID_CHARACTERS)] as const
