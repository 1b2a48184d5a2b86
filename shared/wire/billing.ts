import { z } from 'zod'
import { PAYMENT_MAX_CENTS, PAYMENT_MIN_CENTS } from '../limits.ts'
import { hashAnswer, hex } from './fields.ts'

const cents = z.int().min(0)

export const balanceAnswer = z.object({
  balance_cents: cents.meta({ description: 'What can be spent.' }),
  reserved_cents: cents.meta({ description: 'Held for what is under way.' }),
  debt_cents: cents.meta({ description: 'Paid first by the next payment.' }),
  balance_display: z.string().meta({ examples: ['$5.00'] }),
})

/** Rejects days before 1970: no usage is that old, and the database has no year 0. */
const day = z.iso
  .date({ error: 'expected a day as YYYY-MM-DD' })
  .refine((text) => text >= '1970-01-01', { error: 'expected a day of 1970 or later' })

export const usageQuery = z.object({
  from: day.optional().describe('The first UTC day; left out, 30 days before the end.'),
  to: day.optional().describe('The last UTC day, included; left out, today.'),
  key_hash: hex(32)
    .transform((hash) => hash.toLowerCase())
    .optional()
    .describe('Of this key alone, named by its hash.'),
})

export const usageRow = z.object({
  day: z.iso.date(),
  api_key_hash: hashAnswer,
  key_name: z.string().nullable().meta({
    description: 'Null of the account key, and of a key that was removed.',
  }),
  kind: z.enum(['execution', 'write']),
  action_cid: z.string().nullable().meta({ description: 'Of an execution.' }),
  operation: z.string().nullable().meta({ description: 'Of a write: its path.' }),
  quantity: z.int().min(1).meta({ description: 'How many runs or writes were charged.' }),
  cents,
})

export const usageAnswer = z.array(usageRow)

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
