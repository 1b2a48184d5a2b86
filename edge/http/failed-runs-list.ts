import { z } from 'zod'
import { failedRunsQuery, failedRunsResponse } from '../../shared/wire/failed-runs.ts'
import { listFailedRuns } from '../replays/list-failed-runs.ts'
import type { ApiOperation } from './api-operation.ts'
import { encodeJsonCursor, requireJsonCursor } from './json-cursor.ts'

const position = z.tuple([z.int(), z.int()])

export const listFailedRunsOperation: ApiOperation<undefined, z.infer<typeof failedRunsQuery>> = {
  method: 'get',
  path: '/api/failed-runs',
  id: 'list_failed_runs',
  scope: 'triggers:read',
  summary: 'Lists the failed runs of all your triggers, latest failure first.',
  query: failedRunsQuery,
  success: { status: 200, schema: failedRunsResponse },
  handle: async (c, { user, query: { limit, cursor, ...filter } }) => {
    const after = requireJsonCursor(position, cursor)
    const { runs, next } = await listFailedRuns(c.env, user.id, filter, { limit, after })
    return c.json({ failed_runs: runs, next_cursor: next ? encodeJsonCursor(next) : null })
  },
}
