import type { Context } from 'hono'
import { ApiError } from '../../shared/errors/api-error.ts'
import { groupBy } from '../../shared/group-by.ts'
import { TRIGGER_ID_CHARACTERS } from '../../shared/ids.ts'
import { REPLAY_RUNS_MAX } from '../../shared/limits.ts'
import type { BulkReplayRequest } from '../../shared/wire/replays.ts'
import type { RunReference } from '../replays/replay-store.ts'
import type { ReplaySelection } from '../replays/replays-object.ts'
import { isTriggerId } from '../triggers/trigger-id.ts'
import type { AppEnv } from './app-env.ts'

/**
 * Returns the selection of a request. Given run IDs are checked first.
 * @throws {ApiError} 404 for a run ID that is unknown or belongs to another user
 */
export async function replaySelection(
  c: Context<AppEnv>,
  ownerId: string,
  { run_ids, fingerprint, trigger_id, since, until, include_replayed }: BulkReplayRequest,
): Promise<ReplaySelection> {
  const from = run_ids
    ? { runs: await requireOwnRuns(c, ownerId, run_ids) }
    : { filter: { fingerprint, trigger_id, since, until } }
  return { from, includeReplayed: include_replayed }
}

async function requireOwnRuns(
  c: Context<AppEnv>,
  ownerId: string,
  runIds: readonly string[],
): Promise<RunReference[]> {
  const byTrigger = groupBy(runIds, (id) => id.slice(0, TRIGGER_ID_CHARACTERS))
  const checks = [...byTrigger].map(async ([triggerId, ids]) => {
    const suffixes = ids.map((id) => id.slice(TRIGGER_ID_CHARACTERS))
    const states = (await isTriggerId(c.var.services.settings.ID_MAC_KEY, triggerId))
      ? await c.env.TRIGGER_QUEUE.getByName(triggerId).runStates(ownerId, suffixes)
      : undefined
    return suffixes.map((suffix) => ({ triggerId, suffix, exists: states?.[suffix] !== undefined }))
  })
  const runs = (await Promise.all(checks)).flat()
  const unknown = runs.find(({ exists }) => !exists)
  if (!unknown) return runs.map(({ triggerId, suffix }) => ({ triggerId, suffix }))
  throw new ApiError(
    404,
    `run_ids: no run has the ID ${unknown.triggerId}${unknown.suffix}.`,
    'GET /api/failed-runs lists your failed runs.',
  )
}

export function tooManyRuns(): ApiError {
  return new ApiError(
    422,
    `More than ${REPLAY_RUNS_MAX} runs match, which is the maximum of one replay.`,
    'Narrow the selection with since, until or trigger_id.',
    { reason: 'too_many_runs' },
  )
}
