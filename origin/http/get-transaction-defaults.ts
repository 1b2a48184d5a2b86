import { transactionDefaultsListResponse } from '../../shared/wire/transactions.ts'
import type { Operation } from './operation.ts'
import { toDefaultsRecord } from './transaction-defaults-record.ts'

export const getTransactionDefaultsOperation: Operation = {
  method: 'GET',
  path: '/core/v1/get_transaction_defaults',
  summary: 'Lists the defaults of the account for transactions on each chain.',
  auth: 'account_reader',
  walletAuth: true,
  responseSchema: transactionDefaultsListResponse,
  statuses: [503],
  handle: async ({ principal }, { transactionChains, transactionDefaults }) => {
    const defaults = await transactionDefaults.byChain(principal.account.hash)
    return transactionChains
      .all()
      .map((chain) => toDefaultsRecord(chain, defaults.get(chain.chainId) ?? {}))
  },
}
