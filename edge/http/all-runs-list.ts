import { z } from 'zod'
import { allRunsQuery, allRunsResponse, type ListedRun } from '../../shared/wire/all-runs.ts'
import { triggerIdText } from '../../shared/wire/failed-runs.ts'
import { type AllRunsFilter, type AllRunsPage, listAllRuns } from '../reports/list-all-runs.ts'
import { findTriggers } from '../triggers/trigger-index.ts'
import type { ApiOperation } from './api-operation.ts'
import type { Context } from 'hono'
import type { AppEnv } from './app-env.ts'
import { encodeJsonCursor, requireJsonCursor } from './json-cursor.ts'

const position = z.tuple([z.int().min(0), triggerIdText, z.int().min(1)])

export const listAllRunsOperation: ApiOperation<undefined, z.infer<typeof allRunsQuery>> = {
  method: 'get',
  path: '/api/runs',
  id: 'list_all_runs',
  scope: 'triggers:read',
  summary: 'Lists the runs of all your triggers, newest first.',
  query: allRunsQuery,
  success: { status: 200, schema: allRunsResponse },
  handle: async (c, { user, query }) => {
    const { cursor, limit, trigger_id, status, since, until, error, header, param } = query
    const filter = { triggerId: trigger_id, status, since, until, search: { error, header, param } }
    return c.json(await readAllRuns(c, user.id, filter, { limit, cursor }))
  },
}

/** @throws {ApiError} 422 if the cursor was not issued by this service */
export async function readAllRuns(
  c: Context<AppEnv>,
  ownerId: string,
  filter: AllRunsFilter,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<z.infer<typeof allRunsResponse>> {
  const given = requireJsonCursor(position, cursor)
  const after = given && { queuedAt: given[0], triggerId: given[1], sequence: given[2] }
  const { runs, next } = await listAllRuns(c.env, ownerId, filter, { limit, after })
  const triggerIds = [...new Set(runs.map(({ triggerId }) => triggerId))]
  const triggers = triggerIds.length
    ? await findTriggers(c.var.services.db, ownerId, triggerIds)
    : []
  const names = new Map(triggers.map(({ id, name }) => [id, name]))
  return {
    runs: runs.map((run) => toListedRun(run, names.get(run.triggerId) ?? null)),
    next_cursor: next ? encodeJsonCursor([next.queuedAt, next.triggerId, next.sequence]) : null,
  }
}

function toListedRun(run: AllRunsPage['runs'][number], triggerName: string | null): ListedRun {
  const time = (at: number | null) => (at === null ? null : new Date(at).toISOString())
  return {
    id: run.triggerId + run.suffix,
    trigger_id: run.triggerId,
    trigger_name: triggerName,
    status: run.status,
    source: run.source,
    summary: run.text,
    test: run.test,
    replay: run.isReplay,
    reorged: run.reorged,
    attempt: run.attempt,
    waiting_for: run.waitingFor,
    queued_at: new Date(run.queuedAt).toISOString(),
    started_at: time(run.startedAt),
    finished_at: time(run.finishedAt),
  }
}
