import { changeTrigger } from '../../triggers/change-trigger.ts'
import type { App } from '../app-env.ts'
import { notFound, requireTriggerId } from '../owned-trigger.ts'
import { seeOther } from '../page.tsx'
import { readSessionForm } from './session-form.ts'
import { triggerSubject } from './trigger-actions.tsx'
import { changedPath } from './trigger-notice.tsx'

export function registerTriggerSwitch(app: App): void {
  registerOne(app, '/triggers/:id/enable', true)
  registerOne(app, '/triggers/:id/disable', false)
}

function registerOne(
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
      form.get('from') === 'list' ? `/triggers?${done}=1` : changedPath(record, done),
    )
  })
}
