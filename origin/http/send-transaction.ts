import type { TransactionRequest } from '../transactions/types.ts'
import { POLICY_BODY_MAX_BYTES } from '../../shared/limits.ts'
import { SEND_TRANSACTION_CID } from '../../shared/wire/send-transaction-action.ts'
import { sendTransactionRequest, transactionSchema } from '../../shared/wire/transactions.ts'
import { readTransactionRequest } from '../transactions/request.ts'
import { requireMaySend } from '../transactions/rights.ts'
import type { Operation } from './operation.ts'
import { takeTransactionRate } from './transaction-rate.ts'

const schema = sendTransactionRequest.transform((body) => readTransactionRequest(body, 'http'))

/**
 * Stores a transaction, which is signed and sent afterwards. No response is stored for an Idempotency-Key: the key
 * identifies the transaction itself, and a repeated request returns its current state.
 */
export const sendTransactionOperation: Operation<TransactionRequest> = {
  method: 'POST',
  path: '/core/v1/send_transaction',
  summary:
    'Queues a transaction of a wallet, and returns it without waiting for the chain. The wallet pays the gas. Free of charge.',
  auth: 'key',
  walletAuth: 'SendTransactions',
  body: { schema, maxBytes: POLICY_BODY_MAX_BYTES },
  keyIsIdentity: true,
  responseSchema: transactionSchema,
  statuses: [404],
  handle: async ({ principal, body, idempotencyKey }, services) => {
    requireMaySend(principal, body.pkpId)
    takeTransactionRate(principal, services)
    return services.transactions.send(body, {
      principal,
      actionCid: SEND_TRANSACTION_CID,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    })
  },
}
