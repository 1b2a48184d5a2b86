import type { z } from 'zod'
import {
  createPaymentIntentResponse,
  createPaymentIntentRequest,
} from '../../shared/wire/billing.ts'
import type { Operation } from './operation.ts'
import { payerOf, requireProcessor } from './require-processor.ts'

export const billingCreatePaymentIntentOperation: Operation<
  z.infer<typeof createPaymentIntentRequest>
> = {
  method: 'POST',
  path: '/core/v1/billing/create_payment_intent',
  summary: 'Starts a payment of at least 500 cents by card or cryptocurrency.',
  auth: 'key',
  afterConversion: true,
  walletAuth: true,
  body: { schema: createPaymentIntentRequest },
  responseSchema: createPaymentIntentResponse,
  handle: async ({ principal, body, writeId, audit }, services) => {
    const { payments } = requireProcessor(services)
    const { intentId, clientSecret } = await payments.create({
      ...payerOf(principal),
      amountCents: body.amount_cents,
      writeId,
      audit: audit(),
    })
    return { client_secret: clientSecret, payment_intent_id: intentId }
  },
}
