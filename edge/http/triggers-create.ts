import { TRIGGER_BODY_MAX_BYTES } from '../../shared/limits.ts'
import {
  type CreateTrigger,
  createTriggerRequest,
  storedTrigger,
} from '../../shared/wire/trigger.ts'
import { createTrigger } from '../triggers/create-trigger.ts'
import { originOfAgent } from './change-origin.ts'
import type { ApiOperation } from './api-operation.ts'

/** The Durable Object is created before the row in the index. */
export const createTriggerOperation: ApiOperation<CreateTrigger> = {
  method: 'post',
  path: '/api/triggers',
  id: 'create_trigger',
  scope: 'triggers:write',
  summary: 'Creates a trigger. The usage key is stored encrypted and never returned.',
  body: { schema: createTriggerRequest, maxBytes: TRIGGER_BODY_MAX_BYTES },
  success: { status: 201, schema: storedTrigger, headers: ['location'] },
  failures: [409],
  handle: async (c, { user, body }) => {
    const { db, now, random, settings } = c.var.services
    const context = { ownerId: user.id, db, settings, now, random, by: originOfAgent(c, user) }
    const record = await createTrigger(c.env, context, body)
    return c.json(record, 201, { location: `/api/triggers/${record.id}` })
  },
}
