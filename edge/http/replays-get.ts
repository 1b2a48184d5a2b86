import { replayRecord } from '../../shared/wire/replays.ts'
import { toReplayRecord } from '../replays/records.ts'
import type { ApiOperation } from './api-operation.ts'
import { notFound } from './trigger-lookup.ts'

export const getReplayOperation: ApiOperation = {
  method: 'get',
  path: '/api/replays/{id}',
  id: 'get_replay',
  scope: 'triggers:read',
  summary: 'Returns the progress of a bulk replay.',
  success: { status: 200, schema: replayRecord },
  handle: async (c, { user, id }) => {
    const replay = await c.env.USER_REPORTS.getByName(user.id).replay(id)
    if (!replay) throw notFound('replay')
    return c.json(toReplayRecord(replay))
  },
}
