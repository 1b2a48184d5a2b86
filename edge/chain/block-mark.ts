import type { BlockHeader } from '../../shared/rpc/block-header.ts'
import type { ChainLog } from './chain-log.ts'
import type { LogFilter } from './matching/log-filter.ts'

/** Takes the place of the first topic. No log has this topic, because topics have 32 bytes. */
const BLOCK_TOPIC = 'block'

/** Index of a block's mark, above the index of any log: a mark comes after the logs of its block. */
const MARK_INDEX = 2 ** 32

export type IntervalFilter = LogFilter & { every: number }

/** Filter for the marks of each n-th block. */
export function intervalFilter(every: number): IntervalFilter {
  return { address: '', topic0: BLOCK_TOPIC, topics: [], every }
}

export function isInterval(filter: LogFilter): filter is IntervalFilter {
  return filter.every !== undefined
}

/**
 * Returns the mark of a block: a log without contract, which is stored, delivered and reorganized like the logs of the
 * block. Its identity is the hash of the block.
 */
export function blockMark({
  number,
  hash,
  timestamp,
}: Pick<BlockHeader, 'number' | 'hash' | 'timestamp'>): ChainLog {
  return {
    address: '',
    topics: [BLOCK_TOPIC],
    data: '',
    blockNumber: number,
    blockHash: hash,
    blockTimestamp: timestamp,
    transactionHash: hash,
    transactionIndex: 0,
    logIndex: MARK_INDEX,
    ordinal: 0,
  }
}

/** Returns the numbers from `from` to `to` that are divisible by `every`. */
export function multiplesIn(every: number, from: number, to: number): number[] {
  const numbers: number[] = []
  for (let at = Math.ceil(from / every) * every; at <= to; at += every) numbers.push(at)
  return numbers
}
