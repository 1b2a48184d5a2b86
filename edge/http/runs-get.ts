import { validate } from '../../shared/json/json-body.ts'
import { runQuery } from '../../shared/wire/run.ts'
import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'
import { notFound } from './trigger-lookup.ts'
import { longPollRun } from './long-poll-run.ts'

/** With `?wait=`, the route responds when the run has finished or the given time has passed. */
export function registerRunsGet(app: App): void {
  app.get('/api/runs/:id', async (c) => {
    const user = await requireUser(c, 'triggers:read')
    const { wait } = validate(runQuery, c.req.query(), 422)
    const run = await longPollRun(c, { ownerId: user.id, runId: c.req.param('id') }, wait * 1000)
    if (!run) throw notFound('run')
    return c.json(run)
  })
}
