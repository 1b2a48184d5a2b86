import type { App } from '../../../http/app-env.ts'
import { notFound, queueOf } from '../../../http/trigger-lookup.ts'
import { seeOther } from '../../layout/render-page.tsx'
import { readSessionForm } from '../../requests/session-form.ts'
import { purgeSubject } from '../detail/configuration-cards.tsx'

/** Redirects to the trigger's page, which shows the number of cancelled runs. */
export function registerTriggerPurge(app: App): void {
  app.post('/triggers/:id/purge', async (c) => {
    const id = c.req.param('id')
    const back = `/triggers/${encodeURIComponent(id)}`
    const read = await readSessionForm(c, { subject: purgeSubject(id), back })
    if (read instanceof Response) return read
    await c.var.services.requireRate('api_write', read.session.user.id)
    const queue = await queueOf(c, id)
    const cancelled = await queue.purge(read.session.user.id)
    if (cancelled === undefined) throw notFound('trigger')
    return seeOther(c, `${back}?purged=${cancelled}`)
  })
}
