import type { ChainLog } from '../../chain/chain-log.ts'
import { ZERO_WORD } from '../../chain/decoding/sample-data.ts'
import { transactionMark, type TransactionsFilter } from '../../chain/transaction-mark.ts'

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`
/** Gas of a transfer without input. */
const TRANSFER_GAS = 21_000

/**
 * Returns an example of a transaction that would fire a trigger. Values that the filter does not specify are zero.
 * @param time block timestamp in Unix seconds
 */
export function exampleTransaction(
  { transactions, topics }: TransactionsFilter,
  number: number,
  time: number,
): ChainLog {
  const { to, from, selectors, minValue } = transactions
  const hash = `0x${ZERO_WORD}`
  return transactionMark(
    { number, hash, timestamp: time },
    {
      hash,
      index: 0,
      from: from?.[0] ?? ZERO_ADDRESS,
      to: to?.[0] ?? ZERO_ADDRESS,
      value: minValue ?? '0',
      input: selectors?.[0] ?? '0x',
    },
    { status: topics[0]?.[0] === 'reverted' ? 'reverted' : 'success', gasUsed: TRANSFER_GAS },
  )
}
