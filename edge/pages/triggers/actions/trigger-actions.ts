import { changeTrigger } from '../../../triggers/change-trigger.ts'
import { originOfSession } from '../../../http/change-origin.ts'
import type { App } from '../../../http/app-env.ts'
import { notFound, queueOf, requireTriggerId } from '../../../http/trigger-lookup.ts'
import { seeOther } from '../../layout/render-page.tsx'
import { readSessionForm } from '../../requests/session-form.ts'
import { purgeSubject } from '../detail/configuration-cards.tsx'
import { changedTriggerPath } from '../detail/trigger-notice.tsx'
import { triggerSubject } from './action-forms.tsx'

export function registerTriggerActions(app: App): void {
  registerSwitch(app, '/triggers/:id/enable', true)
  registerSwitch(app, '/triggers/:id/disable', false)

  // Deletes without further confirmation, because the form has already listed the data that will be lost.
  app.post('/triggers/:id/delete', async (c) => {
    const id = c.req.param('id')
    const subject = triggerSubject('delete', id)
    const read = await readSessionForm(c, { subject, back: '/triggers' })
    if (read instanceof Response) return read
    const { user } = read.session
    const queue = await queueOf(c, id)
    await c.var.services.requireRate('api_write', user.id)
    if (!(await queue.remove(user.id, originOfSession(c)))) throw notFound('trigger')
    return seeOther(c, '/triggers?deleted=1')
  })

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

function registerSwitch(
  app: App,
  path: '/triggers/:id/enable' | '/triggers/:id/disable',
  enabled: boolean,
): void {
  app.post(path, async (c) => {
    const triggerId = c.req.param('id')
    const subject = triggerSubject('switch', triggerId)
    const read = await readSessionForm(c, { subject, back: '/triggers' })
    if (read instanceof Response) return read
    const { session, form } = read
    await requireTriggerId(c, triggerId)
    const { db, now, random, settings, requireRate } = c.var.services
    await requireRate('api_write', session.user.id)
    const context = {
      triggerId,
      ownerId: session.user.id,
      db,
      now,
      random,
      settings,
      by: originOfSession(c),
    }
    const record = await changeTrigger(c.env, context, { enabled })
    if (!record) throw notFound('trigger')
    const done = enabled ? 'enabled' : 'disabled'
    return seeOther(
      c,
      form.get('from') === 'list' ? `/triggers?${done}=1` : changedTriggerPath(record, done),
    )
  })
}
