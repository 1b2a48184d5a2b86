import type { App } from '../app-env.ts'
import { queueOfRun } from '../owned-trigger.ts'
import { notice, seeOther } from '../page.tsx'
import { acceptedRun, whyNot } from './accepted-run.ts'
import { replaySubject } from './run-page.tsx'
import { readSessionForm } from './session-form.ts'

export function registerRunReplay(app: App): void {
  app.post('/runs/:id/replay', async (c) => {
    const id = c.req.param('id')
    const back = `/runs/${encodeURIComponent(id)}`
    const read = await readSessionForm(c, { subject: replaySubject(id), back })
    if (read instanceof Response) return read
    const code = read.form.get('code') === 'original' ? 'original' : 'current'
    await c.var.services.requireRate('api_write', read.session.user.id)
    const queue = await queueOfRun(c, id)
    const accepted = await queue.replay(read.session.user.id, id, code)
    const run = acceptedRun(accepted, 'run')
    if (run !== undefined) return seeOther(c, `/runs/${run}`)
    return notice(c, {
      status: accepted.state === 'disabled' ? 409 : 429,
      title: 'Run not replayed',
      text: whyNot(accepted),
      link: { href: back, text: 'Back to the run' },
    })
  })
}
