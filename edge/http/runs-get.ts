import type { z } from 'zod'
import { runQuery } from '../../shared/wire/run.ts'
import { runRecord } from '../../shared/wire/trigger.ts'
import type { ApiOperation } from './api-operation.ts'
import { notFound } from './trigger-lookup.ts'
import { longPollRun } from './long-poll-run.ts'

/** With `?wait=`, the route responds when the run has finished or the given time has passed. */
export const getRunOperation: ApiOperation<undefined, z.infer<typeof runQuery>> = {
  method: 'get',
  path: '/api/runs/{id}',
  id: 'get_run',
  scope: 'triggers:read',
  summary: 'Returns a run with its complete input.',
  query: runQuery,
  success: { status: 200, schema: runRecord },
  handle: async (c, { user, id: runId, query: { wait } }) => {
    const run = await longPollRun(c, { ownerId: user.id, runId }, wait * 1000)
    if (!run) throw notFound('run')
    return c.json(run)
  },
}
