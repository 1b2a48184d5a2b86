import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import { REPLAY_ID_BYTES } from '../../shared/ids.ts'
import { REPLAYS_RUNNING_MAX } from '../../shared/limits.ts'
import {
  type BulkReplayRequest,
  bulkReplayRequest,
  replayRecord,
} from '../../shared/wire/replays.ts'
import { toReplayRecord } from '../replays/records.ts'
import type { ApiOperation } from './api-operation.ts'
import { replaySelection, tooManyRuns } from './replay-selection.ts'

/** The largest number of run IDs takes 26 KB. */
export const REPLAY_BODY_MAX_BYTES = 64 * 1024

/** The replay continues after the response. `GET /api/replays/{id}` returns its progress. */
export const startReplayOperation: ApiOperation<BulkReplayRequest> = {
  method: 'post',
  path: '/api/replays',
  id: 'start_replay',
  scope: 'triggers:write',
  summary: 'Starts a bulk replay of failed runs.',
  body: { schema: bulkReplayRequest, maxBytes: REPLAY_BODY_MAX_BYTES },
  success: { status: 202, schema: replayRecord, headers: ['location'] },
  failures: [404, 409],
  handle: async (c, { user, body }) => {
    const selection = await replaySelection(c, user.id, body)
    const { code, per_minute: perMinute } = body
    const id = encodeBase64url(c.var.services.random(REPLAY_ID_BYTES))
    const start = { id, ownerId: user.id, code, perMinute }
    const reports = c.env.USER_REPORTS.getByName(user.id)
    const started = await reports.startReplay(start, selection)
    switch (started.state) {
      case 'started':
        return c.json(toReplayRecord(started.replay), 202, { location: `/api/replays/${id}` })
      case 'empty':
        throw nothingToReplay(started.alreadyReplayed)
      case 'too_large':
        throw tooManyRuns()
      case 'too_many_running':
        throw new ApiError(
          409,
          `${REPLAYS_RUNNING_MAX} bulk replays are running, which is the maximum.`,
          'Wait until one of them has finished, or cancel one.',
          { reason: 'too_many_replays' },
        )
    }
  },
}

function nothingToReplay(alreadyReplayed: number): ApiError {
  return new ApiError(
    409,
    alreadyReplayed > 0
      ? 'All runs that match were already replayed.'
      : 'No failed runs match the selection.',
    alreadyReplayed > 0
      ? 'Send include_replayed: true to replay them again.'
      : 'GET /api/failed-runs lists your failed runs.',
    { reason: 'nothing_to_replay' },
  )
}
