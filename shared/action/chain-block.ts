import type { ChainEventLog } from './chain-event.ts'

/** The `event` of a run that a block fired (docs/chain-events.md#blocks). */
export type ChainBlock = {
  chain: ChainEventLog['chain']
  chain_id: number
  /** As configured in the trigger: `block_number` is divisible by it. */
  every: number
  block_number: number
  /** 0x hex in lower case. */
  block_hash: string
  /** In Unix seconds. */
  block_timestamp: number
  removed: false
}
