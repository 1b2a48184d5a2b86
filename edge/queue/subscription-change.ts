import { isOnLogs, readChainConfig, watchesSameEvents } from '../chain/chain-config.ts'
import type { ChainName } from '../../shared/config/chain-settings.ts'
import { earliestStart } from '../chain/transactions-config.ts'
import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import { parseTriggerOptions, type TriggerRow } from './records.ts'
import type { TriggerChange } from './trigger-state.ts'
import {
  startSubscription,
  reconfigureSubscription,
  type SubscriptionState,
} from './subscription-state.ts'

export type KnownHead = { chain: ChainName; finality: TriggerOptions['finality']; head: number }

export type SubscriptionChange =
  | { state: 'decided'; watch: SubscriptionState }
  /** The head of the chain is needed first, because the trigger starts or its finality changes. */
  | { state: 'asks_head'; chain: ChainName; finality: TriggerOptions['finality'] }
  | { state: 'start_too_early'; earliest: number }

type Row = Pick<TriggerRow, 'config' | 'options' | 'enabled'>

/** @param knownHead the head of the chain, if an earlier call returned `asks_head` */
export function planSubscriptionChange(
  row: Row,
  watch: SubscriptionState,
  change: TriggerChange,
  knownHead?: KnownHead,
): SubscriptionChange {
  const before = readChainConfig(JSON.parse(row.config))
  const config = change.config ? readChainConfig(change.config) : before
  const { finality: finalityBefore } = parseTriggerOptions(row)
  const finality = change.options ? change.options.finality : finalityBefore
  const next = watchesSameEvents(before, config)
    ? resetLearned()
    : reconfigureSubscription(watch, config.chain)
  const isEnabled = change.enabled ?? row.enabled
  const isStarting = isEnabled && (next.since === null || !row.enabled)
  const needsHead =
    isStarting || (isEnabled && finality !== finalityBefore && typeof finality === 'string')
  if (!needsHead) return { state: 'decided', watch: next }
  const { chain } = config
  if (knownHead?.chain !== chain || knownHead.finality !== finality)
    return { state: 'asks_head', chain, finality }
  const earliest = next.since === null ? earliestStart(config, knownHead.head) : undefined
  if (earliest !== undefined) return { state: 'start_too_early', earliest }
  return {
    state: 'decided',
    watch: isStarting ? startSubscription(next, config.startBlock, knownHead.head) : next,
  }

  /**
   * Discards the inferred indexed arguments if the text of the event signature has changed, because they may no longer
   * apply.
   */
  function resetLearned(): SubscriptionState {
    const isChanged =
      isOnLogs(before) && isOnLogs(config) && before.signatureText !== config.signatureText
    return isChanged ? { ...watch, learned: null } : watch
  }
}
