import { TRIGGER_BODY_MAX_BYTES } from '../../shared/limits.ts'
import { patchTriggerRequest } from '../../shared/wire/trigger.ts'
import { changeTrigger } from '../triggers/change-trigger.ts'
import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'
import { notFound, requireTriggerId } from './trigger-lookup.ts'
import { readFields } from './json-request.ts'

export function registerTriggersPatch(app: App): void {
  app.patch('/api/triggers/:id', async (c) => {
    const { id: ownerId } = await requireUser(c, 'triggers:write')
    const body = await readFields(c.req.raw, patchTriggerRequest, TRIGGER_BODY_MAX_BYTES)
    const triggerId = c.req.param('id')
    await requireTriggerId(c, triggerId)
    const { now, settings } = c.var.services
    const context = { triggerId, ownerId, now, chains: settings.CHAINS }
    const record = await changeTrigger(c.env, context, body)
    if (!record) throw notFound('trigger')
    return c.json(record)
  })
}
