import { blockMark, isInterval, multiplesIn } from '../block-mark.ts'
import { type LogFilter, toLogQuery } from '../matching/log-filter.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import { isOnTransactions } from '../transaction-mark.ts'
import type { FilterReader, LogReader } from './log-reader.ts'
import { factoryReader } from '../factory/factory-reader.ts'
import { RangeSize } from './range-size.ts'
import { transactionReader } from './transaction-source.ts'

/** Headers per request. They are requested in one batch. */
const HEADERS_AT_ONCE = 100

/**
 * Returns the reader of logs for a filter of logs. For a filter of blocks, returns a reader that requests the headers
 * of the matching blocks and returns their marks; for a filter of transactions, one that requests whole blocks. These
 * two have their own range size, because it does not apply to requests for logs.
 * @param marksAtOnce marks per request
 */
export function readerOf(
  filter: LogFilter,
  { chain, size }: { chain: LogReader & Pick<ChainReader, 'transactions'>; size: RangeSize },
  marksAtOnce = HEADERS_AT_ONCE,
): FilterReader {
  if (filter.factory && !filter.learned)
    return factoryReader(filter, filter.factory, { chain, size })
  if (isOnTransactions(filter)) return transactionReader([filter], chain)
  if (!isInterval(filter)) return { chain, size, query: toLogQuery(filter) }
  const { every } = filter
  const blocks = every * marksAtOnce
  return {
    chain: {
      logs: async (_, from, to, priority) =>
        (await chain.headersOf(multiplesIn(every, from, to), priority)).map(blockMark),
      logsOfBlock: async (_, header) => (header.number % every === 0 ? [blockMark(header)] : []),
      headersOf: (numbers, priority) => chain.headersOf(numbers, priority),
    },
    size: new RangeSize(blocks, blocks),
    query: { addresses: [], topics: [] },
  }
}
