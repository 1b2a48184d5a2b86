import { z } from 'zod'
import { errorGroupsQuery, errorGroupsResponse } from '../../shared/wire/failed-runs.ts'
import { toErrorGroup } from '../replays/records.ts'
import type { ApiOperation } from './api-operation.ts'
import { encodeJsonCursor, requireJsonCursor } from './json-cursor.ts'

const position = z.tuple([z.int(), z.string().max(64)])

export const listErrorGroupsOperation: ApiOperation<undefined, z.infer<typeof errorGroupsQuery>> = {
  method: 'get',
  path: '/api/failed-runs/groups',
  id: 'list_error_groups',
  scope: 'triggers:read',
  summary: 'Lists the failed runs of all your triggers in groups with the same error.',
  query: errorGroupsQuery,
  success: { status: 200, schema: errorGroupsResponse },
  handle: async (c, { user, query: { limit, cursor, ...filter } }) => {
    const after = requireJsonCursor(position, cursor)
    const reports = c.env.USER_REPORTS.getByName(user.id)
    const { groups, next } = await reports.errorGroups(filter, { limit, after })
    const error_groups = groups.map(toErrorGroup)
    return c.json({ error_groups, next_cursor: next ? encodeJsonCursor(next) : null })
  },
}
