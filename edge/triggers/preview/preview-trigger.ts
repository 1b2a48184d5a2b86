import type { PreviewRequest, TriggerPreview } from '../../../shared/wire/preview.ts'
import type { ChainName, Chains } from '../../chain/chain-settings.ts'
import type { Watcher } from '../../chain/watch/watcher.ts'
import { requireAllowed } from '../trigger-rules.ts'
import { previewChainEvent } from './preview-chain-event.ts'
import { previewSchedule } from './preview-schedule.ts'
import { previewWebhook } from './preview-webhook.ts'

export type PreviewOptions = {
  /** Unix milliseconds. */
  now: number
  /** The base URL of webhooks. */
  publicUrl: string
  chains: Chains
  watcherOf: (chain: ChainName) => Pick<Watcher, 'recent' | 'contractAt'>
  /** Counts a preview that queries the nodes of a chain towards the rate limit. */
  requireChainRate: () => Promise<void>
}

/**
 * Previews what a trigger would do, without creating it.
 * @throws {TriggerRefused} if its creation would be refused
 * @throws {ChainUnavailable | PreviewBusy} for a chain event
 */
export async function previewTrigger(
  request: PreviewRequest,
  options: PreviewOptions,
): Promise<TriggerPreview> {
  const { kind, config, default_params } = request
  const { now, publicUrl, chains } = options
  requireAllowed(kind, { config, default_params, options: request.options }, chains)
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
