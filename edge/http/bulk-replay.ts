import type { Context } from 'hono'
import { ApiError } from '../../shared/errors/api-error.ts'
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import { REPLAY_ID_BYTES } from '../../shared/ids.ts'
import { REPLAYS_RUNNING_MAX } from '../../shared/limits.ts'
import type { BulkReplayRequest, ReplayPreview, ReplayRecord } from '../../shared/wire/replays.ts'
import { toReplayPreview, toReplayRecord } from '../replays/records.ts'
import { findTriggers } from '../triggers/trigger-index.ts'
import type { AppEnv } from './app-env.ts'
import { replaySelection, tooManyRuns } from './replay-selection.ts'

/** @throws {ApiError} 404 for a run ID that is unknown or belongs to another user; 422 if too many runs match */
export async function previewReplay(
  c: Context<AppEnv>,
  ownerId: string,
  request: BulkReplayRequest,
): Promise<ReplayPreview> {
  const selection = await replaySelection(c, ownerId, request)
  const selected = await c.env.USER_REPORTS.getByName(ownerId).previewReplay(selection)
  if (selected.isTooLarge) throw tooManyRuns()
  const ids = selected.triggers.map(({ triggerId }) => triggerId)
  const indexed = await findTriggers(c.var.services.db, ownerId, ids)
  return toReplayPreview(selected, indexed, request.per_minute)
}

/** @throws {ApiError} like `previewReplay`; 409 if no runs match, or if too many bulk replays are running */
export async function startReplay(
  c: Context<AppEnv>,
  ownerId: string,
  request: BulkReplayRequest,
): Promise<ReplayRecord> {
  const selection = await replaySelection(c, ownerId, request)
  const id = encodeBase64url(c.var.services.random(REPLAY_ID_BYTES))
  const start = { id, ownerId, code: request.code, perMinute: request.per_minute }
  const started = await c.env.USER_REPORTS.getByName(ownerId).startReplay(start, selection)
  switch (started.state) {
    case 'started':
      return toReplayRecord(started.replay)
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
