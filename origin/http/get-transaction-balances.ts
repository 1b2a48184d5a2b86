import type { z } from 'zod'
import { addressOfPkp } from '../../shared/wire/fields.ts'
import {
  type TransactionBalance,
  transactionBalancesQuery,
  transactionBalancesResponse,
} from '../../shared/wire/transactions.ts'
import { WalletNotFoundError } from '../accounts/account-lookups.ts'
import type { Operation } from './operation.ts'

export const getTransactionBalancesOperation: Operation<
  undefined,
  z.infer<typeof transactionBalancesQuery>
> = {
  method: 'GET',
  path: '/core/v1/get_transaction_balances',
  summary:
    'Lists the balances of a wallet on the chains on which it has sent transactions, as they were last read.',
  auth: 'account_reader',
  walletAuth: true,
  query: transactionBalancesQuery,
  responseSchema: transactionBalancesResponse,
  statuses: [404, 503],
  handle: async (
    { principal: { account }, query: { pkp_id: pkpId } },
    { transactionChains, transactionDefaults },
  ) => {
    if (!account.wallets.has(pkpId)) throw new WalletNotFoundError(account.hash, pkpId)
    const address = addressOfPkp(pkpId).toLowerCase()
    const balances = await transactionDefaults.balances(account.hash, address)
    return balances.flatMap(({ chainId, balance, lowBalance, readAt }): TransactionBalance[] => {
      const chain = transactionChains.byId(chainId)
      if (!chain) return []
      return [
        {
          chain: chain.name,
          chain_id: chainId,
          balance: String(balance),
          low_balance: lowBalance?.toString() ?? null,
          is_low: lowBalance !== undefined && balance < lowBalance,
          read_at: readAt.toISOString(),
        },
      ]
    })
  },
}
