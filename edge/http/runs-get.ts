import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'
import { notFound, queueOfRun } from './owned-trigger.ts'

/** `GET /api/runs/<id>`: one run with its whole input. */
export function registerRunsGet(app: App): void {
  app.get('/api/runs/:id', async (c) => {
    const user = await requireUser(c)
    const queue = await queueOfRun(c, c.req.param('id'))
    const run = await queue.run(user.id, c.req.param('id'))
    if (!run) throw notFound('run')
    return c.json(run)
  })
}
