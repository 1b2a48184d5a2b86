import type { Context } from 'hono'
import { TRIGGER_BODY_MAX_BYTES } from '../../shared/limits.ts'
import {
  type PreviewRequest,
  previewRequest,
  type TriggerPreview,
} from '../../shared/wire/preview.ts'
import { previewTrigger } from '../triggers/preview/preview-trigger.ts'
import type { App, AppEnv } from './app-env.ts'
import { requireUser } from './authenticate.ts'
import { readFields } from './json-request.ts'

/**
 * Registers the preview route. The route creates nothing, but rejects the same invalid settings as the creation of a
 * trigger.
 */
export function registerTriggersPreview(app: App): void {
  app.post('/api/triggers/preview', async (c) => {
    const user = await requireUser(c, 'triggers:read')
    const body = await readFields(c.req.raw, previewRequest, TRIGGER_BODY_MAX_BYTES)
    return c.json(await previewForUser(c, user.id, body))
  })
}

export function previewForUser(
  c: Context<AppEnv>,
  userId: string,
  trigger: PreviewRequest,
): Promise<TriggerPreview> {
  const { now, settings, watcherOf, requireRate } = c.var.services
  return previewTrigger(trigger, {
    now: now(),
    publicUrl: settings.PUBLIC_URL,
    chains: settings.CHAINS,
    watcherOf,
    requireChainRate: () => requireRate('chain_preview', userId),
  })
}
