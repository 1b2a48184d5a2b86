/** Computes how a change of a chain event trigger affects its subscription to the chain watcher. */
import { readChainConfig, watchesSame } from '../chain/chain-config.ts'
import type { ChainName } from '../chain/chain-settings.ts'
import type { TriggerOptions } from '../../shared/wire/trigger.ts'
import type { TriggerRow } from './records.ts'
import type { TriggerChange } from './trigger-state.ts'
import { begun, reconfigured, type Watch } from './watch.ts'

/** Under a finality that the chain supports. */
export type KnownHead = { chain: ChainName; finality: TriggerOptions['finality']; head: number }

export type WatchChange =
  | { state: 'decided'; watch: Watch }
  /** The head of the chain is needed first, because the trigger starts or its finality changes. */
  | { state: 'asks_head'; chain: ChainName; finality: TriggerOptions['finality'] }

type Row = Pick<TriggerRow, 'config' | 'options' | 'enabled'>

/** @param known the head of the chain, if it was requested after an earlier call */
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

  /** Inferred indexed arguments may no longer apply if the text of the event signature has changed. */
  function relearned(): Watch {
    return before.signatureText === config.signatureText ? watch : { ...watch, learned: null }
  }
}
