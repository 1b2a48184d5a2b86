/** Checks a usage key with the origin before the edge stores it, or pairs a stored one with another action. */
import { z } from 'zod'
import { freshness, refusalSchema, type StoredKey, storedKeySchema } from './sealed.ts'

export const SEALED_KEYS_PATH = '/sealed/keys'

/** Either a new key or one that the edge has already stored. */
export type AskedKey = { api_key: string } | { stored: StoredKey }

export const checkKeyRequestSchema = z.object({
  ...freshness,
  api_key: z.string().min(1).max(256).optional(),
  stored: storedKeySchema.optional(),
  /** CID of the action that the key would run. */
  action_cid: z.string().min(1).max(128),
})
export type CheckKeyRequest = z.infer<typeof checkKeyRequestSchema>

export const checkKeyAnswerSchema = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('known'),
    /** `account`: the account key itself, which can do everything in the account. */
    key: z.enum(['usage', 'account', 'unknown']),
    /** True if a run of the action would be permitted now. */
    may_execute: z.boolean(),
  }),
  refusalSchema,
])
export type CheckKeyAnswer = z.infer<typeof checkKeyAnswerSchema>
