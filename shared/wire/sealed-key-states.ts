/**
 * Messages for reading the states of stored usage keys. The edge reads them for owners who enabled alerts about their
 * keys (`docs/decisions/0149`).
 */
import { z } from 'zod'
import { KEY_STATES_PER_REQUEST_MAX } from '../limits.ts'
import { replayProtection, sealedRefusalSchema, storedUsageKeySchema } from './sealed.ts'

export const SEALED_KEY_STATES_PATH = '/sealed/key-states'

export const keyStatesRequestSchema = z.object({
  ...replayProtection,
  stored: z.array(storedUsageKeySchema).min(1).max(KEY_STATES_PER_REQUEST_MAX),
  /** True to read the balances of the keys' accounts, too. */
  balances: z.boolean().optional(),
  /** True to read whether the accounts have declined or disputed payments. Older origins ignore it. */
  payments: z.boolean().optional(),
})
export type KeyStatesRequest = z.infer<typeof keyStatesRequestSchema>

export const PAYMENT_PROBLEMS = ['declined', 'disputed'] as const
export type PaymentProblem = (typeof PAYMENT_PROBLEMS)[number]

const keyStateSchema = z.object({
  /** Hash of the usage key, as on the chain. Equal for triggers with the same key. */
  key_hash: z.string(),
  /** Unix milliseconds. Absent if the key does not expire. */
  expires_at: z.number().optional(),
  /** Hash of the key's account, as on the chain. Only if balances or payments were requested. */
  account_hash: z.string().optional(),
  /** Only if balances were requested. Older origins omit it if the account never used its credit. */
  balance_cents: z.number().optional(),
  /** Only if payments were requested, and the account has such a payment. */
  payment_problem: z.enum(PAYMENT_PROBLEMS).optional(),
})
export type KeyState = z.infer<typeof keyStateSchema>

export const keyStatesResponseSchema = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('known'),
    /** In the order of the request. Null for a key that cannot be decrypted, was removed, or is not a usage key. */
    keys: z.array(keyStateSchema.nullable()),
  }),
  sealedRefusalSchema,
])
export type KeyStatesResponse = z.infer<typeof keyStatesResponseSchema>
