import { NodeLaggingError, RangeRejectedError } from '../../../shared/rpc/chain-read-errors.ts'
import type { ReadPriority } from '../../../shared/rpc/endpoint-condition.ts'
import { TransactionSelection } from '../matching/transaction-filter.ts'
import type { TransactionsFilter } from '../transaction-mark.ts'
import type { ChainReader } from '../rpc/chain-reader.ts'
import type { BlockToRead } from '../rpc/request-transactions.ts'
import type { FilterReader } from './log-reader.ts'
import { RangeSize } from './range-size.ts'
import { isSizeRejection } from './read-block-logs.ts'

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
  // A new reader is made after each failure of a catch-up, so it must reach single blocks without failing.
  const read = async (blocks: readonly BlockToRead[], priority: ReadPriority) => {
    try {
      return await chain.transactions(blocks, selection, priority)
    } catch (error) {
      if (!isSizeRejection(error) && !(error instanceof NodeLaggingError)) throw error
      throw new RangeRejectedError()
    }
  }
  return {
    chain: {
      logs: (_, from, to, priority) => {
        const blocks = Array.from({ length: to - from + 1 }, (__, at) => ({ number: from + at }))
        return read(blocks, priority)
      },
      logsOfBlock: (_, header) => read([header], 'live'),
      headersOf: (numbers, priority) => chain.headersOf(numbers, priority),
    },
    size: new RangeSize(TRANSACTION_BLOCKS_AT_ONCE, TRANSACTION_BLOCKS_AT_ONCE),
    query: { addresses: [], topics: [] },
  }
}
