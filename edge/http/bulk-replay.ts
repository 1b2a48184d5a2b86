import type { Context } from 'hono'
import { ApiError } from '../../shared/errors/api-error.ts'
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import { REPLAY_ID_BYTES } from '../../shared/ids.ts'
import { REPLAYS_RUNNING_MAX } from '../../shared/limits.ts'
import { idempotencyKeyReused } from '../../shared/wire/idempotency-key.ts'
import type { BulkReplayRequest, ReplayPreview, ReplayRecord } from '../../shared/wire/replays.ts'
import { toReplayPreview, toReplayRecord } from '../replays/records.ts'
import type { StartResult } from '../replays/replays-object.ts'
import { identityOfRequest, type RequestIdentity } from '../replays/request-identity.ts'
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

/**
 * @param idempotencyKey if a replay was started with this key, that replay is returned
 * @throws {ApiError} like `previewReplay`; 409 if no runs match, or if too many bulk replays are running; 422 if the first
 *   request with the key was different
 */
export async function startReplay(
  c: Context<AppEnv>,
  ownerId: string,
  request: BulkReplayRequest,
  idempotencyKey?: string,
): Promise<ReplayRecord> {
  const identity =
    idempotencyKey === undefined ? undefined : identityOfRequest(idempotencyKey, request)
  const started = await startOnce(c, ownerId, request, identity)
  switch (started.state) {
    case 'started':
      return toReplayRecord(started.replay)
    case 'other_request':
      throw idempotencyKeyReused()
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

async function startOnce(
  c: Context<AppEnv>,
  ownerId: string,
  request: BulkReplayRequest,
  identity: RequestIdentity | undefined,
): Promise<StartResult> {
  const reports = c.env.USER_REPORTS.getByName(ownerId)
  // Precedes the selection, which fails if a run was deleted after the first request.
  const repeated = identity && (await reports.repeatedReplay(identity))
  if (repeated) return repeated
  const selection = await replaySelection(c, ownerId, request)
  const id = encodeBase64url(c.var.services.random(REPLAY_ID_BYTES))
  const { code, per_minute: perMinute } = request
  return reports.startReplay({ id, ownerId, code, perMinute, identity }, selection)
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
