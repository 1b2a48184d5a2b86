import { originOfAgent } from './change-origin.ts'
import type { ApiOperation } from './api-operation.ts'
import { notFound, queueOf } from './trigger-lookup.ts'

export const deleteTriggerOperation: ApiOperation = {
  method: 'delete',
  path: '/api/triggers/{id}',
  id: 'delete_trigger',
  scope: 'triggers:write',
  summary: 'Deletes a trigger, its history and its sealed key.',
  success: { status: 204 },
  handle: async (c, { user, id }) => {
    const queue = await queueOf(c, id)
    const removed = await queue.remove(user.id, originOfAgent(c, user))
    if (!removed) throw notFound('trigger')
    return c.body(null, 204)
  },
}
