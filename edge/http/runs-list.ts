import { z } from 'zod'
import { validate } from '../../shared/json-body.ts'
import { RUNS_PAGE_DEFAULT, RUNS_PAGE_MAX } from '../../shared/limits.ts'
import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'
import { notFound, queueOf } from './owned-trigger.ts'

const integer = z
  .string()
  .regex(/^-?[0-9]{1,15}$/, 'expected an integer')
  .transform(Number)

const pageQuery = z.object({
  limit: integer
    .transform((limit) => Math.min(Math.max(limit, 1), RUNS_PAGE_MAX))
    .default(RUNS_PAGE_DEFAULT),
  offset: integer.pipe(z.number().min(0)).default(0),
})

/** `GET /api/triggers/<id>/runs`: `{runs}`, newest first. */
export function registerRunsList(app: App): void {
  app.get('/api/triggers/:id/runs', async (c) => {
    const user = await requireUser(c)
    const page = validate(pageQuery, c.req.query(), 422)
    const queue = await queueOf(c, c.req.param('id'))
    const runs = await queue.runs(user.id, page)
    if (!runs) throw notFound('trigger')
    return c.body(runs, 200, { 'content-type': 'application/json' })
  })
}
