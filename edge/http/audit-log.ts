import type { z } from 'zod'
import { triggerLogQuery, triggerLogResponse } from '../../shared/wire/trigger-log.ts'
import type { ReportsObject } from '../reports/reports-object.ts'
import type { ApiOperation } from './api-operation.ts'

export const triggerLogOperation: ApiOperation<undefined, z.infer<typeof triggerLogQuery>> = {
  method: 'get',
  path: '/api/audit-log',
  id: 'list_trigger_changes',
  scope: 'triggers:read',
  summary: 'Returns a page of the log of changes of your triggers. Entries form a hash chain.',
  query: triggerLogQuery,
  success: { status: 200, schema: triggerLogResponse },
  handle: async (c, { user, query }) => {
    const { order, page_number: number, page_size: limit, ...filter } = query
    // The generated RPC stub type cannot represent details that contain arbitrary JSON.
    const reports: Pick<ReportsObject, 'triggerLog'> = c.env.USER_REPORTS.getByName(user.id)
    return c.json(await reports.triggerLog({ ...filter, order, offset: number * limit, limit }))
  },
}
