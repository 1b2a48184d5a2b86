import { validate } from '../../../shared/json-body.ts'
import { runQuery } from '../../../shared/wire/run.ts'
import { shownRun } from '../../console/runs/shown-run.ts'
import type { App } from '../app-env.ts'
import { notFound } from '../owned-trigger.ts'
import { runWithin } from '../run-within.ts'
import { requireOwnScript } from './page-json.ts'

/**
 * In the form in which the page displays the run. With `?wait=`, responds when the run has finished, or when the given
 * time has passed.
 */
export function registerRunStateJson(app: App): void {
  app.get('/runs/:id/state.json', async (c) => {
    const session = await requireOwnScript(c)
    const { wait } = validate(runQuery, c.req.query(), 422)
    const wanted = { ownerId: session.user.id, runId: c.req.param('id') }
    const run = await runWithin(c, wanted, wait * 1000)
    if (!run) throw notFound('run')
    return c.json({ run: shownRun(run), now: c.var.services.now() })
  })
}
