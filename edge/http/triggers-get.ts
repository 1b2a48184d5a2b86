import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'
import { notFound, queueOf } from './trigger-lookup.ts'

export function registerTriggersGet(app: App): void {
  app.get('/api/triggers/:id', async (c) => {
    const user = await requireUser(c, 'triggers:read')
    const queue = await queueOf(c, c.req.param('id'))
    const record = await queue.read(user.id)
    if (!record) throw notFound('trigger')
    return c.json(record)
  })
}
