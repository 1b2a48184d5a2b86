import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'
import { notFound, queueOf } from './trigger-lookup.ts'

export function registerTriggersDelete(app: App): void {
  app.delete('/api/triggers/:id', async (c) => {
    const user = await requireUser(c, 'triggers:write')
    const id = c.req.param('id')
    const queue = await queueOf(c, id)
    const removed = await queue.remove(user.id)
    if (!removed) throw notFound('trigger')
    return c.body(null, 204)
  })
}
