import type { TransactionOperations as ClientOperations } from '../../../shared/client/core/transactions.ts'

/** The client's operations on transactions that the pages use. */
export type TransactionOperations = Pick<
  ClientOperations['transactions'],
  'list' | 'cancel' | 'speedUp' | 'balances'
>
