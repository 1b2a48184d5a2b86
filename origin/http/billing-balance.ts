import { balanceAnswer } from '../../shared/wire/billing.ts'
import type { Operation } from './operation.ts'

/** What the account of a key can spend. Free, and for any key of the account. */
export const billingBalance: Operation = {
  method: 'GET',
  path: '/core/v1/billing/balance',
  summary: 'What the account can spend, what is reserved and what it owes.',
  auth: 'key',
  afterConversion: true,
  walletAuth: true,
  answer: balanceAnswer,
  handle: ({ principal }, { credits }) => credits.balance(principal.account.hash),
}
