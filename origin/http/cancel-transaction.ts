import type { z } from 'zod'
import { cancelTransactionRequest, transactionSchema } from '../../shared/wire/transactions.ts'
import { found, requireTransaction } from '../transactions/rights.ts'
import type { Operation } from './operation.ts'
import { takeTransactionRate } from './transaction-rate.ts'

export const cancelTransactionOperation: Operation<z.infer<typeof cancelTransactionRequest>> = {
  method: 'POST',
  path: '/core/v1/cancel_transaction',
  summary:
    'Cancels a transaction. One that is signed is replaced by an empty transaction with its nonce; whichever is mined decides. The response shows what holds now.',
  auth: 'key',
  walletAuth: 'SendTransactions',
  body: { schema: cancelTransactionRequest },
  responseSchema: transactionSchema,
  statuses: [404],
  handle: async ({ principal, body: { id } }, services) => {
    const { transactions } = services
    await requireTransaction(principal, id, transactions)
    takeTransactionRate(principal, services)
    return found(await transactions.cancel(principal.account.hash, id), id)
  },
}
