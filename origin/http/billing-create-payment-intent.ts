import type { z } from 'zod'
import { createPaymentIntentAnswer, createPaymentIntentRequest } from '../../shared/wire/billing.ts'
import { NoProcessor } from '../credits/no-processor.ts'
import type { Operation } from './operation.ts'

/** Begins a payment, which the client confirms with the processor. */
export const billingCreatePaymentIntent: Operation<z.infer<typeof createPaymentIntentRequest>> = {
  method: 'POST',
  path: '/core/v1/billing/create_payment_intent',
  summary: 'Begins a payment of 500 cents or more.',
  auth: 'key',
  afterConversion: true,
  body: { schema: createPaymentIntentRequest },
  answer: createPaymentIntentAnswer,
  handle: () => Promise.reject(new NoProcessor()),
}
