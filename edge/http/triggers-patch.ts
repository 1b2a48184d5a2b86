import { TRIGGER_BODY_MAX_BYTES } from '../../shared/limits.ts'
import { type PatchTrigger, patchTriggerRequest, storedTrigger } from '../../shared/wire/trigger.ts'
import { changeTrigger } from '../triggers/change-trigger.ts'
import { originOfAgent } from './change-origin.ts'
import type { ApiOperation } from './api-operation.ts'
import { notFound, requireTriggerId } from './trigger-lookup.ts'

export const patchTriggerOperation: ApiOperation<PatchTrigger> = {
  method: 'patch',
  path: '/api/triggers/{id}',
  id: 'patch_trigger',
  scope: 'triggers:write',
  summary:
    'Changes the fields in the body. Fields that are absent or null keep their values. Queued runs keep their code.',
  body: { schema: patchTriggerRequest, maxBytes: TRIGGER_BODY_MAX_BYTES },
  success: { status: 200, schema: storedTrigger },
  handle: async (c, { user, id: triggerId, body }) => {
    await requireTriggerId(c, triggerId)
    const { db, now, random, settings } = c.var.services
    const context = {
      triggerId,
      ownerId: user.id,
      db,
      now,
      random,
      settings,
      by: originOfAgent(c, user),
    }
    const record = await changeTrigger(c.env, context, body)
    if (!record) throw notFound('trigger')
    return c.json(record)
  },
}
