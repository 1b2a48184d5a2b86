import { triggerRecord } from '../../shared/wire/trigger.ts'
import { withFactoryContracts } from '../chain/factory/factory-contracts.ts'
import { sleep } from '../sleep.ts'
import type { ApiOperation } from './api-operation.ts'
import { notFound, queueOf } from './trigger-lookup.ts'

export const getTriggerOperation: ApiOperation = {
  method: 'get',
  path: '/api/triggers/{id}',
  id: 'get_trigger',
  scope: 'triggers:read',
  summary: 'Returns a trigger with its source and counters.',
  success: { status: 200, schema: triggerRecord },
  handle: async (c, { user, id }) => {
    const queue = await queueOf(c, id)
    const record = await queue.read(user.id)
    if (!record) throw notFound('trigger')
    const { watcherOf } = c.var.services
    return c.json(await withFactoryContracts(record, { watcherOf, sleep }))
  },
}
