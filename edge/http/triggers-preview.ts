import { TRIGGER_BODY_MAX_BYTES } from '../../shared/limits.ts'
import { previewRequest } from '../../shared/wire/preview.ts'
import { previewTrigger } from '../triggers/preview/preview-trigger.ts'
import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'
import { readFields } from './read-fields.ts'

/** Creates nothing, but rejects the same invalid settings as creation does. */
export function registerTriggersPreview(app: App): void {
  app.post('/api/triggers/preview', async (c) => {
    const user = await requireUser(c, 'triggers:read')
    const body = await readFields(c.req.raw, previewRequest, TRIGGER_BODY_MAX_BYTES)
    const { now, settings, watcherOf, requireRate } = c.var.services
    const preview = await previewTrigger(body, {
      now: now(),
      publicUrl: settings.PUBLIC_URL,
      chains: settings.CHAINS,
      watcherOf,
      requireChainRate: () => requireRate('chain_preview', user.id),
    })
    return c.json(preview)
  })
}
