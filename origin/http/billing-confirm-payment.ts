import type { z } from 'zod'
import { confirmPaymentResponse, confirmPaymentRequest } from '../../shared/wire/billing.ts'
import { NotCreditedError } from '../credits/processor/payments.ts'
import type { Operation } from './operation.ts'
import { payerOf, requireProcessor } from './require-processor.ts'

/** Credits a settled payment exactly once. A repeated request gets the same response. */
export const billingConfirmPaymentOperation: Operation<z.infer<typeof confirmPaymentRequest>> = {
  method: 'POST',
  path: '/core/v1/billing/confirm_payment',
  summary:
    'Credits a settled payment to the account. Idempotent: repeating it returns the same response.',
  auth: 'key',
  afterConversion: true,
  walletAuth: true,
  body: { schema: confirmPaymentRequest },
  responseSchema: confirmPaymentResponse,
  statuses: [404, 409],
  handle: async ({ principal, body }, services) => {
    const { payments } = requireProcessor(services)
    const { hash } = principal.account
    const standing = await payments.confirm(payerOf(principal), body.payment_intent_id)
    if (standing.state !== 'credited') throw new NotCreditedError(standing)
    const { balance_cents, balance_display } = await services.credits.balance(hash)
    return { success: true, balance_cents, balance_display }
  },
}
