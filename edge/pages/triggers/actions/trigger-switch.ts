import { changeTrigger } from '../../../triggers/change-trigger.ts'
import type { App } from '../../../http/app-env.ts'
import { notFound, requireTriggerId } from '../../../http/trigger-lookup.ts'
import { seeOther } from '../../layout/render-page.tsx'
import { readSessionForm } from '../../requests/session-form.ts'
import { triggerSubject } from './action-forms.tsx'
import { changedTriggerPath } from '../detail/trigger-notice.tsx'

export function registerTriggerSwitch(app: App): void {
  registerSwitch(app, '/triggers/:id/enable', true)
  registerSwitch(app, '/triggers/:id/disable', false)
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
    const { now, settings, requireRate } = c.var.services
    await requireRate('api_write', session.user.id)
    const context = { triggerId, ownerId: session.user.id, now, chains: settings.CHAINS }
    const record = await changeTrigger(c.env, context, { enabled })
    if (!record) throw notFound('trigger')
    const done = enabled ? 'enabled' : 'disabled'
    return seeOther(
      c,
      form.get('from') === 'list' ? `/triggers?${done}=1` : changedTriggerPath(record, done),
    )
  })
}
