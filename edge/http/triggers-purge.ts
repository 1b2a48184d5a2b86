import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'
import { notFound, queueOf } from './trigger-lookup.ts'

export function registerTriggersPurge(app: App): void {
  app.post('/api/triggers/:id/purge', async (c) => {
    const user = await requireUser(c, 'triggers:write')
    const queue = await queueOf(c, c.req.param('id'))
    const cancelled = await queue.purge(user.id)
    if (cancelled === undefined) throw notFound('trigger')
    return c.json({ cancelled })
  })
}
