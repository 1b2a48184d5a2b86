/** Bodies of the billing endpoints (`spec/core-api.md`, Payment objects). */
import { z } from 'zod'
import { PAYMENT_MAX_CENTS, PAYMENT_MIN_CENTS } from '../limits.ts'

const cents = z.int().min(0)

export const balanceAnswer = z.object({
  balance_cents: cents.meta({ description: 'What can be spent.' }),
  reserved_cents: cents.meta({ description: 'Held for what is under way.' }),
  debt_cents: cents.meta({ description: 'Paid first by the next payment.' }),
  balance_display: z.string().meta({ examples: ['$5.00'] }),
})

export const processorConfigAnswer = z.object({ publishable_key: z.string() })

export const createPaymentIntentRequest = z.object({
  amount_cents: z.int().min(PAYMENT_MIN_CENTS).max(PAYMENT_MAX_CENTS),
})

export const createPaymentIntentAnswer = z.object({
  client_secret: z.string(),
  payment_intent_id: z.string(),
})

export const confirmPaymentRequest = z.object({ payment_intent_id: z.string().min(1).max(255) })

export const confirmPaymentAnswer = z.object({
  success: z.literal(true),
  balance_cents: cents,
  balance_display: z.string(),
})
