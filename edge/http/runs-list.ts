import { ApiError } from '../../shared/errors/api-error.ts'
import { validate } from '../../shared/json/json-body.ts'
import { runsQuery } from '../../shared/wire/run.ts'
import { decodeCursor } from '../queue/page-cursor.ts'
import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'
import { notFound, queueOf } from './trigger-lookup.ts'

export function registerRunsList(app: App): void {
  app.get('/api/triggers/:id/runs', async (c) => {
    const user = await requireUser(c, 'triggers:read')
    const { cursor, ...query } = validate(runsQuery, c.req.query(), 422)
    const id = c.req.param('id')
    const queue = await queueOf(c, id)
    const before = cursor === undefined ? undefined : decodeCursor(id, cursor)
    const isForged = cursor !== undefined && before === undefined
    // Checks the ownership before it rejects the cursor. Otherwise, the error would reveal to other users that the
    // trigger exists.
    if (isForged && (await queue.kindAndAction(user.id))) throw invalidCursor()
    const runs = isForged ? undefined : await queue.runs(user.id, { ...query, before })
    if (!runs) throw notFound('trigger')
    return c.body(runs, 200, { 'content-type': 'application/json' })
  })
}

function invalidCursor(): ApiError {
  return new ApiError(
    422,
    'cursor: not issued for this trigger.',
    'Send next_cursor of the previous page unchanged, or omit cursor to get the newest runs.',
  )
}
