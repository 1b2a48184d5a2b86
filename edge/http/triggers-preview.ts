import { validate } from '../../shared/json-body.ts'
import { TRIGGER_BODY_MAX_BYTES } from '../../shared/limits.ts'
import { previewRequest } from '../../shared/wire/preview.ts'
import { previewTrigger } from '../triggers/preview/preview-trigger.ts'
import type { App } from './app-env.ts'
import { requireUser } from './authenticate.ts'
import { readJson } from './json-request.ts'

/** `POST /api/triggers/preview`: what a trigger would do, without making it; refused where creation would refuse it. */
export function registerTriggersPreview(app: App): void {
  app.post('/api/triggers/preview', async (c) => {
    const user = await requireUser(c, 'triggers:read')
    const json = await readJson(c.req.raw, TRIGGER_BODY_MAX_BYTES)
    const body = validate(previewRequest, json, 422)
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
