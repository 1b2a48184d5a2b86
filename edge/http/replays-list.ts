import { z } from 'zod'
import { replaysQuery, replaysResponse } from '../../shared/wire/replays.ts'
import { toReplayRecord } from '../replays/records.ts'
import type { ApiOperation } from './api-operation.ts'
import { encodeJsonCursor, requireJsonCursor } from './json-cursor.ts'

export const listReplaysOperation: ApiOperation<undefined, z.infer<typeof replaysQuery>> = {
  method: 'get',
  path: '/api/replays',
  id: 'list_replays',
  scope: 'triggers:read',
  summary: 'Lists your bulk replays, newest first.',
  query: replaysQuery,
  success: { status: 200, schema: replaysResponse },
  handle: async (c, { user, query: { limit, cursor } }) => {
    const after = requireJsonCursor(z.int(), cursor)
    const reports = c.env.USER_REPORTS.getByName(user.id)
    const { replays, next } = await reports.replays({ limit, after })
    return c.json({
      replays: replays.map(toReplayRecord),
      next_cursor: next === undefined ? null : encodeJsonCursor(next),
    })
  },
}
