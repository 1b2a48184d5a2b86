import {
  type BulkReplayRequest,
  bulkReplayRequest,
  replayPreview,
} from '../../shared/wire/replays.ts'
import type { ApiOperation } from './api-operation.ts'
import { previewReplay } from './bulk-replay.ts'
import { REPLAY_BODY_MAX_BYTES } from './replays-create.ts'

export const previewReplayOperation: ApiOperation<BulkReplayRequest> = {
  method: 'post',
  path: '/api/replays/preview',
  id: 'preview_replay',
  scope: 'triggers:read',
  summary: 'Returns what a bulk replay would do, without starting it.',
  body: { schema: bulkReplayRequest, maxBytes: REPLAY_BODY_MAX_BYTES },
  success: { status: 200, schema: replayPreview },
  failures: [404],
  handle: async (c, { user, body }) => c.json(await previewReplay(c, user.id, body)),
}
