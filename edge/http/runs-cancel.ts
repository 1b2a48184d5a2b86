import { ApiError } from '../../shared/errors/api-error.ts'
import { runRecord } from '../../shared/wire/trigger.ts'
import type { ApiOperation } from './api-operation.ts'
import { notFound, queueOfRun } from './trigger-lookup.ts'

/** The cancelled run counts as failed, with the reason `cancelled`. Responds with 409 if the run was not queued. */
export const cancelRunOperation: ApiOperation = {
  method: 'post',
  path: '/api/runs/{id}/cancel',
  id: 'cancel_run',
  scope: 'triggers:write',
  summary: 'Cancels a queued run. It ends with status `failed`.',
  success: { status: 200, schema: runRecord },
  failures: [409],
  handle: async (c, { user, id: runId }) => {
    const queue = await queueOfRun(c, runId)
    const { state } = await queue.cancelRun(user.id, runId)
    if (state === 'not_queued') throw notQueued()
    const run = state === 'cancelled' ? await queue.run(user.id, runId) : undefined
    if (!run) throw notFound('run')
    return c.json(run)
  },
}

function notQueued(): ApiError {
  return new ApiError(
    409,
    'The run is not queued: it is running or has ended.',
    'Only a run that has not started or is waiting for its next attempt can be cancelled.',
    { reason: 'run_not_queued' },
  )
}
