import type { PreviewRequest, RecentEvent, TriggerPreview } from '../../../shared/wire/preview.ts'
import {
  compileOptions,
  evaluateAll,
  hasExpressions,
} from '../../expressions/option-expressions.ts'
import { requireValidExpressions } from '../expression-rules.ts'
import { requireAllowedFields, requireFutureTick } from '../trigger-rules.ts'
import { type ChainPreviewOptions, previewChainEvent } from './preview-chain-event.ts'
import { eventParams, type Firing } from '../../queue/firing.ts'
import { previewSchedule } from './preview-schedule.ts'
import { webhookUrlOf } from '../../queue/records.ts'

type PreviewOptions = ChainPreviewOptions & {
  publicUrl: string
  /** Counts a preview towards the rate limit for previews that query the nodes of a chain. */
  requireChainRate: () => Promise<void>
  /** Evaluates the expressions of options on the latest events of one of the user's triggers. */
  recentEvents: (triggerId: string, options: PreviewRequest['options']) => Promise<RecentEvent[]>
}

/**
 * @throws {TriggerRejectedError} if creating the trigger would be rejected
 * @throws {TriggerChainUnavailableError | PreviewBusyError} if the chain of a chain event cannot be queried at the
 *   moment
 */
export async function previewTrigger(
  request: PreviewRequest,
  options: PreviewOptions,
): Promise<TriggerPreview> {
  const { kind, config, default_params } = request
  requireAllowedFields(kind, { config, default_params, options: request.options }, options.chains)
  await requireValidExpressions(request.options)
  const { trigger_id } = request
  const recent = trigger_id && (await options.recentEvents(trigger_id, request.options))
  const preview = await previewOfKind(request, options)
  const expressions = hasExpressions(request.options)
    ? evaluateAll(await compileOptions(request.options), preview.params)
    : undefined
  return { ...preview, ...(expressions && { expressions }), ...(recent && { recent }) }
}

async function previewOfKind(
  request: PreviewRequest,
  options: PreviewOptions,
): Promise<TriggerPreview> {
  const { kind, config, default_params } = request
  const { now, publicUrl } = options
  switch (kind) {
    case 'webhook':
      return {
        params: { ...default_params, ...webhookSampleParams(SAMPLE_EVENT, now, publicUrl) },
      }
    case 'schedule':
      requireFutureTick(kind, config, now)
      return previewSchedule(config, default_params, now)
    case 'chain_event':
      if (request.trigger_id !== undefined) return { params: default_params }
      await options.requireChainRate()
      return previewChainEvent(request, options)
  }
}

const SAMPLE_EVENT = '{"hello":"world"}'

/** Returns the params of a webhook with this body. @param event JSON */
export function webhookSampleParams(
  event: string,
  now: number,
  publicUrl: string,
): Record<string, unknown> {
  const firing: Firing = {
    source: 'webhook',
    method: 'POST',
    url: webhookUrlOf('TRIGGER_ID', publicUrl),
    query: {},
    receivedAt: now,
    contentType: 'application/json',
    headers: { 'content-type': 'application/json', 'user-agent': 'preview' },
  }
  return eventParams(firing, new TextEncoder().encode(event))
}
