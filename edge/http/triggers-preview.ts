import type { Context } from 'hono'
import { TRIGGER_BODY_MAX_BYTES } from '../../shared/limits.ts'
import {
  type PreviewRequest,
  previewRequest,
  type RecentEvent,
  type TriggerPreview,
  triggerPreview,
} from '../../shared/wire/preview.ts'
import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import type { TriggerObject } from '../queue/trigger-object.ts'
import { previewTrigger } from '../triggers/preview/preview-trigger.ts'
import type { ApiOperation } from './api-operation.ts'
import type { AppEnv } from './app-env.ts'
import { notFound, queueOf } from './trigger-lookup.ts'

/** The preview creates nothing, but rejects the same invalid settings as the creation of a trigger. */
export const previewTriggerOperation: ApiOperation<PreviewRequest> = {
  method: 'post',
  path: '/api/triggers/preview',
  id: 'preview_trigger',
  scope: 'triggers:read',
  summary: 'Previews what a trigger would do, without creating it.',
  body: { schema: previewRequest, maxBytes: TRIGGER_BODY_MAX_BYTES },
  success: { status: 200, schema: triggerPreview },
  handle: async (c, { user, body }) => c.json(await previewForUser(c, user.id, body)),
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
    recentEvents: (triggerId, options) => readRecentEvents(c, { userId, triggerId }, options),
  })
}

/** @throws {ApiError} 404 if the user has no such trigger */
export async function readRecentEvents(
  c: Context<AppEnv>,
  { userId, triggerId }: { userId: string; triggerId: string },
  options: TriggerOptions,
): Promise<RecentEvent[]> {
  const queue: Pick<TriggerObject, 'recentEvents'> = await queueOf(c, triggerId)
  const events = await queue.recentEvents(userId, options)
  if (!events) throw notFound('trigger')
  return events
}
