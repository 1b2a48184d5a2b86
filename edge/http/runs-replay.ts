import type { z } from 'zod'
import { queuedResponse, replayRequest } from '../../shared/wire/run.ts'
import type { ApiOperation } from './api-operation.ts'
import { replayRun } from './replay-run.ts'
import { queuedRunResponse } from './queued-run-response.ts'

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
