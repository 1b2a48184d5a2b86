import type { z } from 'zod'
import { speedUpTransactionRequest, transactionSchema } from '../../shared/wire/transactions.ts'
import { readMaxFee } from '../transactions/request.ts'
import { found, requireTransaction } from '../transactions/rights.ts'
import type { Operation } from './operation.ts'
import { takeTransactionRate } from './transaction-rate.ts'

const schema = speedUpTransactionRequest.transform(({ id, max_fee_per_gas: fee }) => ({
  id,
  maxFeePerGas: fee === undefined ? undefined : readMaxFee(fee, 'max_fee_per_gas'),
}))

export const speedUpTransactionOperation: Operation<z.infer<typeof schema>> = {
  method: 'POST',
  path: '/core/v1/speed_up_transaction',
  summary:
    'Raises the fees of a transaction at once, up to its limit or a new one, which is at most the default of the account.',
  auth: 'key',
  walletAuth: 'SendTransactions',
  body: { schema },
  responseSchema: transactionSchema,
  statuses: [404],
  handle: async ({ principal, body: { id, maxFeePerGas } }, services) => {
    const { transactions } = services
    await requireTransaction(principal, id, transactions)
    takeTransactionRate(principal, services)
    return found(await transactions.speedUp(principal.account.hash, id, maxFeePerGas), id)
  },
}
