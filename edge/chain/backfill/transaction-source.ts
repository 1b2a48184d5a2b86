import { TransactionSelection } from '../matching/transaction-filter.ts'
import type { TransactionsFilter } from '../transaction-mark.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import type { FilterReader } from './log-reader.ts'
import { RangeSize } from './range-size.ts'

/**
 * Blocks per request. A block of Ethereum with its transactions is about 0.5 MB, and four requests are in flight in an
 * object with 128 MB of memory.
 */
export const TRANSACTION_BLOCKS_AT_ONCE = 4

/**
 * Returns a reader that requests whole blocks and returns marks of the transactions that any of the filters matches.
 * It has its own range size, because it does not apply to requests for logs.
 */
export function transactionReader(
  filters: readonly TransactionsFilter[],
  chain: Pick<ChainReader, 'transactions' | 'headersOf'>,
): FilterReader {
  const selection = new TransactionSelection(filters.map(({ transactions }) => transactions))
  return {
    chain: {
      logs: (_, from, to, priority) => {
        const blocks = Array.from({ length: to - from + 1 }, (__, at) => ({ number: from + at }))
        return chain.transactions(blocks, selection, priority)
      },
      logsOfBlock: (_, header) => chain.transactions([header], selection, 'live'),
      headersOf: (numbers, priority) => chain.headersOf(numbers, priority),
    },
    size: new RangeSize(TRANSACTION_BLOCKS_AT_ONCE, TRANSACTION_BLOCKS_AT_ONCE),
    query: { addresses: [], topics: [] },
  }
}
