import type { App } from '../../../http/app-env.ts'
import { notFound, queueOf } from '../../../http/trigger-lookup.ts'
import { requireScriptSession } from '../../requests/script-session.ts'
import { readRunQuery } from './run-query.ts'

export function registerRunsJson(app: App): void {
  app.get('/triggers/:id/runs.json', async (c) => {
    const session = await requireScriptSession(c)
    const id = c.req.param('id')
    const queue = await queueOf(c, id)
    const { page, range } = readRunQuery(c.req.url, id)
    const glance = await queue.glance(session.user.id, page, range)
    if (!glance) throw notFound('trigger')
    return c.json({ ...glance, now: c.var.services.now() })
  })
}
