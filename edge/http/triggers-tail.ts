import type { z } from 'zod'
import { tailQuery, tailResponse } from '../../shared/wire/tail.ts'
import type { ApiOperation } from './api-operation.ts'
import { longPollTail } from './long-poll-tail.ts'

export const tailTriggerOperation: ApiOperation<undefined, z.infer<typeof tailQuery>> = {
  method: 'get',
  path: '/api/triggers/{id}/tail',
  id: 'tail_trigger',
  scope: 'triggers:read',
  summary: 'Waits until runs are queued, print or end, and returns new console output.',
  query: tailQuery,
  success: { status: 200, schema: tailResponse },
  handle: async (c, { user, id, query }) =>
    c.json(await longPollTail(c, { ownerId: user.id, triggerId: id }, query)),
}
