import { ApiError } from '../../shared/errors/api-error.ts'
import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'
import { notFound, queueOfRun } from './trigger-lookup.ts'

/** The cancelled run counts as failed, with the reason `cancelled`. Responds with 409 if the run was not queued. */
export function registerRunsCancel(app: App): void {
  app.post('/api/runs/:id/cancel', async (c) => {
    const user = await requireUser(c, 'triggers:write')
    const runId = c.req.param('id')
    const queue = await queueOfRun(c, runId)
    const { state } = await queue.cancelRun(user.id, runId)
    if (state === 'not_queued') throw notQueued()
    const run = state === 'cancelled' ? await queue.run(user.id, runId) : undefined
    if (!run) throw notFound('run')
    return c.json(run)
  })
}

function notQueued(): ApiError {
  return new ApiError(
    409,
    'The run is not queued: it is running or has ended.',
    'Only a run that has not started or is waiting for its next attempt can be cancelled.',
    { reason: 'run_not_queued' },
  )
}
