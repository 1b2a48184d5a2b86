/** The edge checks a usage key at the origin before it stores the key or uses a stored key for another action. */
import { z } from 'zod'
import { freshness, refusalSchema, type StoredKey, storedKeySchema } from './sealed.ts'

export const SEALED_KEYS_PATH = '/sealed/keys'

/** A new key, or one that the edge already stores. */
export type AskedKey = { api_key: string } | { stored: StoredKey }

export const checkKeyRequestSchema = z.object({
  ...freshness,
  api_key: z.string().min(1).max(256).optional(),
  stored: storedKeySchema.optional(),
  /** Action that the usage key would run. */
  action_cid: z.string().min(1).max(128),
})
export type CheckKeyRequest = z.infer<typeof checkKeyRequestSchema>

export const checkKeyAnswerSchema = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('known'),
    /** `account` is the account key, which can do everything in the account. */
    key: z.enum(['usage', 'account', 'unknown']),
    /** True if the key would currently be permitted to run the action. */
    may_execute: z.boolean(),
  }),
  refusalSchema,
])
export type CheckKeyAnswer = z.infer<typeof checkKeyAnswerSchema>
