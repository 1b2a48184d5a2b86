import { ApiError } from '../../shared/errors/api-error.ts'
import { replayRecord } from '../../shared/wire/replays.ts'
import { toReplayRecord } from '../replays/records.ts'
import type { ApiOperation } from './api-operation.ts'
import { notFound } from './trigger-lookup.ts'

/** A batch that is being sent is still queued. Queued runs stay queued. */
export const cancelReplayOperation: ApiOperation = {
  method: 'post',
  path: '/api/replays/{id}/cancel',
  id: 'cancel_replay',
  scope: 'triggers:write',
  summary: 'Cancels a bulk replay. Runs that it has queued stay queued.',
  success: { status: 200, schema: replayRecord },
  failures: [409],
  handle: async (c, { user, id }) => {
    const result = await c.env.USER_REPORTS.getByName(user.id).cancelReplay(id)
    if (!result) throw notFound('replay')
    if (!result.isCancelled)
      throw new ApiError(409, 'The replay has ended.', 'Only a running replay can be cancelled.', {
        reason: 'replay_ended',
      })
    return c.json(toReplayRecord(result.replay))
  },
}
