import {
  type BulkReplayRequest,
  bulkReplayRequest,
  replayRecord,
} from '../../shared/wire/replays.ts'
import type { ApiOperation } from './api-operation.ts'
import { startReplay } from './bulk-replay.ts'

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
  idempotencyKey:
    'A random ID that you choose. For 24 hours, a repeated request with the same ID starts nothing, and returns the bulk replay as it is then, so it is safe to retry.',
  success: { status: 202, schema: replayRecord, headers: ['location'] },
  failures: [404, 409],
  handle: async (c, { user, body, idempotencyKey }) => {
    const replay = await startReplay(c, user.id, body, idempotencyKey)
    return c.json(replay, 202, { location: `/api/replays/${replay.id}` })
  },
}
