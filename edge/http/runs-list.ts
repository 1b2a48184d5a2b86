import type { z } from 'zod'
import { ApiError } from '../../shared/errors/api-error.ts'
import { runsQuery, runsResponse } from '../../shared/wire/run.ts'
import { decodeCursor } from '../queue/page-cursor.ts'
import type { ApiOperation } from './api-operation.ts'
import { notFound, queueOf } from './trigger-lookup.ts'

export const listRunsOperation: ApiOperation<undefined, z.infer<typeof runsQuery>> = {
  method: 'get',
  path: '/api/triggers/{id}/runs',
  id: 'list_runs',
  scope: 'triggers:read',
  summary: 'Lists the runs of a trigger, newest first.',
  query: runsQuery,
  success: { status: 200, schema: runsResponse },
  handle: async (c, { user, id, query: { cursor, error, header, param, ...query } }) => {
    const queue = await queueOf(c, id)
    const search = { error, header, param }
    const before = cursor === undefined ? undefined : decodeCursor(id, cursor)
    const isForged = cursor !== undefined && before === undefined
    // Checks the ownership before it rejects the cursor. Otherwise, the error would reveal to other users that the
    // trigger exists.
    if (isForged && (await queue.kindAndAction(user.id))) throw invalidCursor()
    const runs = isForged ? undefined : await queue.runs(user.id, { ...query, before, search })
    if (!runs) throw notFound('trigger')
    return c.body(runs, 200, { 'content-type': 'application/json' })
  },
}

function invalidCursor(): ApiError {
  return new ApiError(
    422,
    'cursor: not issued for this trigger.',
    'Send next_cursor of the previous page unchanged, or omit cursor to get the newest runs.',
  )
}
