import type { App } from '../../http/app-env.ts'
import { registerAllRunsPage } from './all-runs-page.tsx'
import { registerRunPage, cancelSubject, replaySubject } from './run-page.tsx'
import { validate } from '../../../shared/json/json-body.ts'
import { runQuery } from '../../../shared/wire/run.ts'
import { toRunView } from '../../browser/runs/run-view.ts'
import { replayRun } from '../../http/runs-replay.ts'
import { notFound, queueOfRun } from '../../http/trigger-lookup.ts'
import { longPollRun } from '../../http/long-poll-run.ts'
import { requireScriptSession } from '../requests/same-origin-json.ts'
import { noticePage, seeOther } from '../layout/render-page.tsx'
import { readSessionForm } from '../requests/session-form.ts'
import { acceptedRunId, rejectionText } from './accepted-run.ts'

export function registerRunPages(app: App): void {
  registerAllRunsPage(app)
  registerRunPage(app)
  registerRunStateJson(app)
  registerRunActions(app)
}

/** With `?wait=`, the route responds when the run has finished or the given time has passed. */
function registerRunStateJson(app: App): void {
  app.get('/runs/:id/state.json', async (c) => {
    const session = await requireScriptSession(c)
    const { wait } = validate(runQuery, c.req.query(), 422)
    const wanted = { ownerId: session.user.id, runId: c.req.param('id') }
    const run = await longPollRun(c, wanted, wait * 1000)
    if (!run) throw notFound('run')
    return c.json({ run: toRunView(run), now: c.var.services.now() })
  })
}

function registerRunActions(app: App): void {
  app.post('/runs/:id/replay', async (c) => {
    const id = c.req.param('id')
    const back = `/runs/${encodeURIComponent(id)}`
    const read = await readSessionForm(c, { subject: replaySubject(id), back })
    if (read instanceof Response) return read
    const code = read.form.get('code') === 'original' ? 'original' : 'current'
    await c.var.services.requireRate('api_write', read.session.user.id)
    const accepted = await replayRun(c, read.session.user.id, id, code)
    const run = acceptedRunId(accepted, 'run')
    if (run !== undefined) return seeOther(c, `/runs/${run}`)
    return noticePage(c, {
      status: accepted.state === 'disabled' ? 409 : 429,
      title: 'Run not replayed',
      text: rejectionText(accepted),
      link: { href: back, text: 'Back to the run' },
    })
  })

  app.post('/runs/:id/cancel', async (c) => {
    const id = c.req.param('id')
    const back = `/runs/${encodeURIComponent(id)}`
    const read = await readSessionForm(c, { subject: cancelSubject(id), back })
    if (read instanceof Response) return read
    await c.var.services.requireRate('api_write', read.session.user.id)
    const queue = await queueOfRun(c, id)
    const { state } = await queue.cancelRun(read.session.user.id, id)
    if (state === 'unknown') throw notFound('run')
    if (state === 'cancelled') return seeOther(c, back)
    return noticePage(c, {
      status: 409,
      title: 'Run not cancelled',
      text: 'The run is no longer queued: it is running or has ended.',
      link: { href: back, text: 'Back to the run' },
    })
  })
}
