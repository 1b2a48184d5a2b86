import { validate } from '../../../shared/json/json-body.ts'
import { runQuery } from '../../../shared/wire/run.ts'
import { toRunView } from '../../browser/runs/run-view.ts'
import type { App } from '../../http/app-env.ts'
import { notFound } from '../../http/trigger-lookup.ts'
import { longPollRun } from '../../http/long-poll-run.ts'
import { requireScriptSession } from '../requests/script-session.ts'

/** With `?wait=`, the route responds when the run has finished or the given time has passed. */
export function registerRunStateJson(app: App): void {
  app.get('/runs/:id/state.json', async (c) => {
    const session = await requireScriptSession(c)
    const { wait } = validate(runQuery, c.req.query(), 422)
    const wanted = { ownerId: session.user.id, runId: c.req.param('id') }
    const run = await longPollRun(c, wanted, wait * 1000)
    if (!run) throw notFound('run')
    return c.json({ run: toRunView(run), now: c.var.services.now() })
  })
}
