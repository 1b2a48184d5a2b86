import { TRIGGER_BODY_MAX_BYTES } from '../../shared/limits.ts'
import { createTriggerRequest } from '../../shared/wire/trigger.ts'
import { createTrigger } from '../triggers/create-trigger.ts'
import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'
import { readFields } from './json-request.ts'

/** The Durable Object is created before the row in the index. */
export function registerTriggersCreate(app: App): void {
  app.post('/api/triggers', async (c) => {
    const { id: ownerId } = await requireUser(c, 'triggers:write')
    const body = await readFields(c.req.raw, createTriggerRequest, TRIGGER_BODY_MAX_BYTES)
    const { db, now, random, settings } = c.var.services
    const context = { ownerId, db, settings, now, random }
    const record = await createTrigger(c.env, context, body)
    return c.json(record, 201, { location: `/api/triggers/${record.id}` })
  })
}
