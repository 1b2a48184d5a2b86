import { listTriggers } from '../triggers/trigger-index.ts'
import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'

/** `GET /api/triggers`: a bare array, newest first. */
export function registerTriggersList(app: App): void {
  app.get('/api/triggers', async (c) => {
    const user = await requireUser(c)
    return c.json(await listTriggers(c.var.services.db, user.id))
  })
}
