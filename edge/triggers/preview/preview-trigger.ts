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
  /** Where webhooks of this service are. */
  publicUrl: string
  chains: Chains
  watcherOf: (chain: ChainName) => Pick<Watcher, 'recent' | 'contractAt'>
  /** Counts a look at a chain, which asks its nodes. */
  requireChainRate: () => Promise<void>
}

/**
 * What a trigger would do, without making it.
 * @throws {TriggerRefused} for what its creation would refuse
 * @throws {ChainUnavailable | PreviewBusy} of a chain event
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
