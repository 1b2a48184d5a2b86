import type { PreviewRequest, TriggerPreview } from '../../../shared/wire/preview.ts'
import { requireAllowedFields } from '../trigger-rules.ts'
import { type ChainPreviewOptions, previewChainEvent } from './preview-chain-event.ts'
import { previewSchedule } from './preview-schedule.ts'
import { previewWebhook } from './preview-webhook.ts'

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
