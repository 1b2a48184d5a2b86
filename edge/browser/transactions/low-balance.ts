import type { ListedTransaction, TransactionBalance } from '../../../shared/wire/transactions.ts'

/** Returns the chains on which the wallet has less than the account's threshold, or too little for a transaction. */
export function lowBalanceChains(
  balances: readonly TransactionBalance[],
  transactions: readonly ListedTransaction[],
): string[] {
  const low = balances.filter(({ is_low }) => is_low)
  const waiting = transactions.filter(({ waiting_for }) => waiting_for === 'funds')
  return [...new Set([...low, ...waiting].map(({ chain }) => chain))]
}
