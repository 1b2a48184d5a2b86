import type { App } from '../../../http/app-env.ts'
import { notFound, queueOf } from '../../../http/trigger-lookup.ts'
import { seeOther } from '../../layout/render-page.tsx'
import { readSessionForm } from '../../requests/session-form.ts'
import { triggerSubject } from './action-forms.tsx'

/** Needs no confirmation, because the form has already listed the data that will be lost. */
export function registerTriggerDelete(app: App): void {
  app.post('/triggers/:id/delete', async (c) => {
    const id = c.req.param('id')
    const subject = triggerSubject('delete', id)
    const read = await readSessionForm(c, { subject, back: '/triggers' })
    if (read instanceof Response) return read
    const { user } = read.session
    const queue = await queueOf(c, id)
    await c.var.services.requireRate('api_write', user.id)
    if (!(await queue.remove(user.id))) throw notFound('trigger')
    return seeOther(c, '/triggers?deleted=1')
  })
}
