import type { z } from 'zod'
import { confirmPaymentAnswer, confirmPaymentRequest } from '../../shared/wire/billing.ts'
import { NoProcessor } from '../credits/no-processor.ts'
import type { Operation } from './operation.ts'

/** Credits a payment that has settled. */
export const billingConfirmPayment: Operation<z.infer<typeof confirmPaymentRequest>> = {
  method: 'POST',
  path: '/core/v1/billing/confirm_payment',
  summary: 'Credits a settled payment to the account.',
  auth: 'key',
  afterConversion: true,
  body: { schema: confirmPaymentRequest },
  answer: confirmPaymentAnswer,
  handle: () => Promise.reject(new NoProcessor()),
}
