import type { ChainBlock } from '../../../shared/action/chain-block.ts'
import type { ChainName } from '../../../shared/config/chain-settings.ts'
import type { ChainLog } from '../chain-log.ts'

type BlockEventSource = { chain: ChainName; chainId: number; every: number; mark: ChainLog }

/** Converts the mark of a block to the `event` that an action receives. */
export function toBlockEvent({ chain, chainId, every, mark }: BlockEventSource): ChainBlock {
  return {
    chain,
    chain_id: chainId,
    every,
    block_number: mark.blockNumber,
    block_hash: mark.blockHash,
    block_timestamp: mark.blockTimestamp,
    removed: false,
  }
}
