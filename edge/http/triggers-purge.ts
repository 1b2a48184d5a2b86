import { purgeResponse } from '../../shared/wire/run.ts'
import type { ApiOperation } from './api-operation.ts'
import { notFound, queueOf } from './trigger-lookup.ts'

export const purgeTriggerOperation: ApiOperation = {
  method: 'post',
  path: '/api/triggers/{id}/purge',
  id: 'purge_trigger',
  scope: 'triggers:write',
  summary: 'Cancels all queued runs of a trigger. They end with status `failed`.',
  success: { status: 200, schema: purgeResponse },
  handle: async (c, { user, id }) => {
    const queue = await queueOf(c, id)
    const cancelled = await queue.purge(user.id)
    if (cancelled === undefined) throw notFound('trigger')
    return c.json({ cancelled })
  },
}
