import { balanceResponse } from '../../shared/wire/billing.ts'
import type { Operation } from './operation.ts'

/** Free of charge, and available to any key of the account. */
export const billingBalanceOperation: Operation = {
  method: 'GET',
  path: '/core/v1/billing/balance',
  summary: 'Returns the available credits of the account, the reserved part and the debt.',
  auth: 'key',
  afterConversion: true,
  walletAuth: true,
  responseSchema: balanceResponse,
  handle: ({ principal }, { credits }) => credits.balance(principal.account.hash),
}
