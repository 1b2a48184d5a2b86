import { z } from 'zod'
import { PAYMENT_MAX_CENTS, PAYMENT_MIN_CENTS } from '../limits.ts'
import { hashSchema, hexSchema } from './fields.ts'

const cents = z.int().min(0)

export const balanceResponse = z.object({
  balance_cents: cents.meta({ description: 'Available credits.' }),
  reserved_cents: cents.meta({ description: 'Reserved for operations in progress.' }),
  debt_cents: cents.meta({ description: 'Deducted from the next payment.' }),
  balance_display: z.string().meta({ examples: ['$5.00'] }),
})

/** A UTC day. Days before 1970 are rejected, because no usage is that old and the database has no year 0. */
const day = z.iso
  .date({ error: 'expected a day as YYYY-MM-DD' })
  .refine((text) => text >= '1970-01-01', { error: 'expected a day in 1970 or later' })

export const usageQuery = z.object({
  from: day.optional().describe('The first UTC day. Default: 30 days before the end.'),
  to: day.optional().describe('The last UTC day, inclusive. Default: today.'),
  key_hash: hexSchema(32)
    .transform((hash) => hash.toLowerCase())
    .optional()
    .describe('Only charges of the key with this hash.'),
})

export const usageRow = z.object({
  day: z.iso.date(),
  api_key_hash: hashSchema,
  key_name: z.string().nullable().meta({
    description: 'Null for the account key and for removed keys.',
  }),
  kind: z.enum(['execution', 'write']),
  action_cid: z.string().nullable().meta({ description: 'Set for executions.' }),
  operation: z.string().nullable().meta({ description: 'Set for writes: the path.' }),
  quantity: z.int().min(1).meta({ description: 'The number of runs or writes that were charged.' }),
  cents,
})

export const usageResponse = z.array(usageRow)

export const processorConfigResponse = z.object({ publishable_key: z.string() })

export const createPaymentIntentRequest = z.object({
  amount_cents: z.int().min(PAYMENT_MIN_CENTS).max(PAYMENT_MAX_CENTS),
})

export const createPaymentIntentResponse = z.object({
  client_secret: z.string(),
  payment_intent_id: z.string(),
})

export const confirmPaymentRequest = z.object({ payment_intent_id: z.string().min(1).max(255) })

export const confirmPaymentResponse = z.object({
  success: z.literal(true),
  balance_cents: cents,
  balance_display: z.string(),
})
