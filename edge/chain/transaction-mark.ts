import type { BlockHeader } from '../../shared/rpc/block-header.ts'
import type { ChainLog } from './chain-log.ts'
import type { LogFilter } from './matching/log-filter.ts'
import type { Transaction, TransactionFilter } from './matching/transaction-filter.ts'

/** Takes the place of the first topic. No log has this topic, because topics have 32 bytes. */
const TRANSACTION_TOPIC = 'transaction'

/** Index of the first transaction's mark, above the index of any log and of the mark of a block. */
const FIRST_INDEX = 2 ** 32 + 1

export type TransactionStatus = 'success' | 'reverted'

/** Outcome of a transaction. `status` is null before the Byzantium fork of Ethereum, whose receipts do not have one. */
export type TransactionReceipt = { status: TransactionStatus | null; gasUsed: number }

export type TransactionsFilter = LogFilter & { transactions: TransactionFilter }

/** @param status matches any status if null */
export function transactionsFilter(
  transactions: TransactionFilter,
  status: TransactionStatus | null,
): TransactionsFilter {
  const topics = status === null ? [] : [[status]]
  return { address: '', topic0: TRANSACTION_TOPIC, topics, transactions }
}

export function isOnTransactions(filter: LogFilter): filter is TransactionsFilter {
  return filter.transactions !== undefined
}

/**
 * Returns the mark of a transaction: a log without contract, which is stored, delivered and reorganized like the logs
 * of the block. Its identity is the hash, the input and the status of the transaction.
 */
export function transactionMark(
  { number, hash, timestamp }: Pick<BlockHeader, 'number' | 'hash' | 'timestamp'>,
  { hash: transactionHash, index, from, to, value, input }: Transaction,
  { status, gasUsed }: TransactionReceipt,
): ChainLog {
  return {
    address: '',
    topics: status === null ? [TRANSACTION_TOPIC] : [TRANSACTION_TOPIC, status],
    data: input,
    transaction: { from, to, value, gasUsed },
    blockNumber: number,
    blockHash: hash,
    blockTimestamp: timestamp,
    transactionHash,
    transactionIndex: index,
    logIndex: FIRST_INDEX + index,
    ordinal: 0,
  }
}

/** @param mark a mark that `transactionMark` returned */
export function statusOf({ topics }: Pick<ChainLog, 'topics'>): TransactionStatus | null {
  const [, status] = topics
  return status === 'success' || status === 'reverted' ? status : null
}
