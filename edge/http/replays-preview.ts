import {
  type BulkReplayRequest,
  bulkReplayRequest,
  replayPreview,
} from '../../shared/wire/replays.ts'
import { toReplayPreview } from '../replays/records.ts'
import { findTriggers } from '../triggers/trigger-index.ts'
import type { ApiOperation } from './api-operation.ts'
import { replaySelection, tooManyRuns } from './replay-selection.ts'
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
  handle: async (c, { user, body }) => {
    const selection = await replaySelection(c, user.id, body)
    const selected = await c.env.USER_REPORTS.getByName(user.id).previewReplay(selection)
    if (selected.isTooLarge) throw tooManyRuns()
    const ids = selected.triggers.map(({ triggerId }) => triggerId)
    const indexed = await findTriggers(c.var.services.db, user.id, ids)
    return c.json(toReplayPreview(selected, indexed, body.per_minute))
  },
}
