/** Computes how a change of a chain event affects its subscription with the chain's watcher. */
import { readChainConfig, watchesSame } from '../chain/chain-config.ts'
import type { ChainName } from '../chain/chain-settings.ts'
import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import type { TriggerRow } from './records.ts'
import type { TriggerChange } from './trigger-state.ts'
import { begun, reconfigured, type Watch } from './watch.ts'

/** The head of a chain, requested under a finality that the chain supports. */
export type KnownHead = { chain: ChainName; finality: TriggerOptions['finality']; head: number }

export type WatchChange =
  | { state: 'decided'; watch: Watch }
  /** The trigger starts, or its finality changes. The head of the chain is needed first. */
  | { state: 'asks_head'; chain: ChainName; finality: TriggerOptions['finality'] }

type Row = Pick<TriggerRow, 'config' | 'options' | 'enabled'>

/** @param known the chain's response, if its head was requested */
export function watchChange(
  row: Row,
  watch: Watch,
  change: TriggerChange,
  known?: KnownHead,
): WatchChange {
  const before = readChainConfig(JSON.parse(row.config))
  const config = change.config ? readChainConfig(change.config) : before
  const { finality: finalityBefore } = JSON.parse(row.options) as TriggerOptions
  const finality = change.options ? change.options.finality : finalityBefore
  const next = watchesSame(before, config) ? relearned() : reconfigured(watch, config.chain)
  const isEnabled = change.enabled ?? row.enabled
  const begins = isEnabled && (next.since === null || !row.enabled)
  const asks = begins || (isEnabled && finality !== finalityBefore && typeof finality === 'string')
  if (!asks) return { state: 'decided', watch: next }
  const { chain } = config
  if (known?.chain !== chain || known.finality !== finality)
    return { state: 'asks_head', chain, finality }
  return { state: 'decided', watch: begins ? begun(next, config.startBlock, known.head) : next }

  /** With other marks or names, the stored knowledge about indexed arguments no longer applies. */
  function relearned(): Watch {
    return before.signatureText === config.signatureText ? watch : { ...watch, learned: null }
  }
}
