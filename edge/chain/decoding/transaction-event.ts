import type { ChainTransaction } from '../../../shared/action/chain-transaction.ts'
import type { ChainName } from '../../../shared/config/chain-settings.ts'
import type { ChainLog } from '../chain-log.ts'
import { selectorOf } from '../matching/transaction-filter.ts'
import { statusOf } from '../transaction-mark.ts'
import { checksummedAddress } from './checksummed-address.ts'

type TransactionEventSource = { chain: ChainName; chainId: number; mark: ChainLog }

/**
 * Converts the mark of a transaction to the `event` that an action receives.
 * @throws {Error} if the log is not such a mark
 */
export function toTransactionEvent({
  chain,
  chainId,
  mark,
}: TransactionEventSource): ChainTransaction {
  const { transaction, data: input } = mark
  if (!transaction) throw new Error('the log is not a transaction')
  const { from, to, value, gasUsed } = transaction
  return {
    chain,
    chain_id: chainId,
    transaction_hash: mark.transactionHash,
    transaction_index: mark.transactionIndex,
    from: checksummedAddress(from),
    to: to === null ? null : checksummedAddress(to),
    value,
    input,
    selector: selectorOf(input),
    status: statusOf(mark),
    gas_used: gasUsed,
    block_number: mark.blockNumber,
    block_hash: mark.blockHash,
    block_timestamp: mark.blockTimestamp,
    removed: false,
  }
}
