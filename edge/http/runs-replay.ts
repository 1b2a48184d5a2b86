import type { Context } from 'hono'
import type { z } from 'zod'
import { TRIGGER_ID_CHARACTERS } from '../../shared/ids.ts'
import { queuedResponse, type ReplayCode, replayRequest } from '../../shared/wire/run.ts'
import type { IntakeResult } from '../queue/intake.ts'
import type { ApiOperation } from './api-operation.ts'
import type { AppEnv } from './app-env.ts'
import { queuedRunResponse } from './queued-run-response.ts'
import { queueOfRun } from './trigger-lookup.ts'

const BODY_MAX_BYTES = 1024

/** The new run has the same event as the old run, whose ID is in the new run's `replay_of` field. */
export const replayRunOperation: ApiOperation<z.infer<typeof replayRequest>> = {
  method: 'post',
  path: '/api/runs/{id}/replay',
  id: 'replay_run',
  scope: 'triggers:write',
  summary: 'Queues a new run for the same event.',
  body: { schema: replayRequest, maxBytes: BODY_MAX_BYTES, optional: true },
  success: { status: 202, schema: queuedResponse, headers: ['location'] },
  failures: [409],
  handle: async (c, { user, id: runId, body: { code } }) => {
    return queuedRunResponse(c, await replayRun(c, user.id, runId, code), 'run')
  },
}

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
