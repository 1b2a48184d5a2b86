import type { z } from 'zod'
import {
  setTransactionDefaultsRequest,
  transactionDefaultsResponse,
} from '../../shared/wire/transactions.ts'
import { readAmount, readChain, readMaxFee } from '../transactions/request.ts'
import type { Operation } from './operation.ts'
import { toDefaultsRecord } from './transaction-defaults-record.ts'

const schema = setTransactionDefaultsRequest.transform(
  ({ chain, max_fee_per_gas: fee, low_balance: balance }) => ({
    chain: readChain(chain),
    defaults: {
      ...(fee !== undefined && { maxFeePerGas: readMaxFee(fee, 'max_fee_per_gas') }),
      ...(balance !== undefined && { lowBalance: readAmount(balance, 'low_balance') }),
    },
  }),
)

export const setTransactionDefaultsOperation: Operation<z.infer<typeof schema>> = {
  method: 'POST',
  path: '/core/v1/set_transaction_defaults',
  summary:
    'Replaces the defaults of the account for transactions on a chain. A member that is absent has no default afterwards.',
  auth: 'account_key',
  walletAuth: 'SendTransactions',
  body: { schema },
  responseSchema: transactionDefaultsResponse,
  statuses: [503],
  handle: async (
    { principal, body, writeId, audit },
    { transactionChains, transactionDefaults },
  ) => {
    const chain = transactionChains.require(body.chain)
    await transactionDefaults.set(principal.account.hash, chain.chainId, body.defaults, {
      context: audit(),
      sourceId: `defaults/${writeId}`,
    })
    return toDefaultsRecord(chain, body.defaults)
  },
}
