import { replayRequest } from '../../shared/wire/run.ts'
import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'
import { queueOfRun } from './trigger-lookup.ts'
import { queuedRunResponse } from './queued-run-response.ts'
import { readFields } from './json-request.ts'

const BODY_MAX_BYTES = 1024

/** The new run has the same event as the old run, whose ID is in the new run's `replay_of` field. */
export function registerRunsReplay(app: App): void {
  app.post('/api/runs/:id/replay', async (c) => {
    const user = await requireUser(c, 'triggers:write')
    const { code } = await readFields(c.req.raw, replayRequest, BODY_MAX_BYTES, { optional: true })
    const runId = c.req.param('id')
    const queue = await queueOfRun(c, runId)
    return queuedRunResponse(c, await queue.replay(user.id, runId, code), 'run')
  })
}
