import type { PreviewRequest, TriggerPreview } from '../../../shared/wire/preview.ts'
import { requireAllowedFields } from '../trigger-rules.ts'
import { type ChainPreviewOptions, previewChainEvent } from './preview-chain-event.ts'
import { eventParams, type Firing } from '../../queue/firing.ts'
import { nextTicks } from '../../schedule/cron.ts'
import { minimumInterval } from '../../schedule/minimum-interval.ts'
import { nominalTime } from '../../schedule/tick-run.ts'
import { webhookUrlOf } from '../../queue/records.ts'

type PreviewOptions = ChainPreviewOptions & {
  publicUrl: string
  /** Counts a preview towards the rate limit for previews that query the nodes of a chain. */
  requireChainRate: () => Promise<void>
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
  const { now, publicUrl, chains } = options
  requireAllowedFields(kind, { config, default_params, options: request.options }, chains)
  switch (kind) {
    case 'webhook':
      return previewWebhook(default_params, now, publicUrl)
    case 'schedule':
      return previewSchedule(String(config.cron), default_params, now)
    case 'chain_event':
      await options.requireChainRate()
      return previewChainEvent(request, options)
  }
}

const TICKS_SHOWN = 5

function previewSchedule(
  cron: string,
  defaultParams: Record<string, unknown>,
  now: number,
): TriggerPreview {
  const ticks = nextTicks(cron, now, TICKS_SHOWN)
  const firing = { source: 'schedule', scheduledAt: ticks[0]!, cron } as const
  return {
    next: ticks.map(nominalTime),
    min_interval_s: minimumInterval(cron).seconds,
    params: { ...defaultParams, ...eventParams(firing, new Uint8Array()) },
  }
}

const SAMPLE_EVENT = '{"hello":"world"}'

function previewWebhook(
  defaultParams: Record<string, unknown>,
  now: number,
  publicUrl: string,
): TriggerPreview {
  const firing: Firing = {
    source: 'webhook',
    method: 'POST',
    url: webhookUrlOf('TRIGGER_ID', publicUrl),
    query: {},
    receivedAt: now,
    contentType: 'application/json',
    headers: { 'content-type': 'application/json', 'user-agent': 'preview' },
  }
  const event = new TextEncoder().encode(SAMPLE_EVENT)
  return { params: { ...defaultParams, ...eventParams(firing, event) } }
}
