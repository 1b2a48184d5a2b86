import { expect, it } from 'vitest'
import { RangeSize } from '../../../../edge/chain/backfill/range-size.ts'
import type { BlockHeader } from '../../../../shared/rpc/block-header.ts'
import type { ChainLog } from '../../../../edge/chain/chain-log.ts'
import type { ChainReader } from '../../../../edge/chain/rpc/chain-reader.ts'
import { NodeLaggingError } from '../../../../shared/rpc/chain-read-errors.ts'
import { BlockLogReader } from '../../../../edge/chain/watch/block-log-reader.ts'
import { EVENT, hex, TOKEN } from '../watched-chain.ts'

const HEADER: BlockHeader = {
  number: 7,
  hash: hex(32, 7),
  parentHash: hex(32, 6),
  timestamp: 7,
  logsBloom: `0x${'f'.repeat(512)}`,
}

/** Returns the logs of one block, from a node that returns one log of the given block. */
function logsFrom(blockHash: string) {
  const log = {
    address: TOKEN,
    topics: [EVENT],
    data: '0x',
    blockNumber: 7,
    blockHash,
    logIndex: 0,
  }
  const reader: Pick<ChainReader, 'logsOfBlock'> = { logsOfBlock: async () => [log as ChainLog] }
  const union = new BlockLogReader([{ address: TOKEN, topic0: EVENT, topics: [] }])
  return union.read({ reader: reader as ChainReader, size: new RangeSize() }, [HEADER])
}

it('returns the logs of a block', async () => {
  expect((await logsFrom(HEADER.hash)).logs).toHaveLength(1)
})

it('foreign logs: rejects logs of another block at the same height', async () => {
  await expect(logsFrom(hex(32, 8))).rejects.toThrow(NodeLaggingError)
})
