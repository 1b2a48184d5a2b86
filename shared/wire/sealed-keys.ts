/** What the edge asks about a usage key before it stores one, or another action beside it (`decisions.md`, Usage keys at rest). */
import { z } from 'zod'
import { freshness, refusalSchema, type StoredKey, storedKeySchema } from './sealed.ts'

export const SEALED_KEYS_PATH = '/sealed/keys'

/** One of the two: a key that has just come, or one that the edge has stored. */
export type AskedKey = { api_key: string } | { stored: StoredKey }

export const checkKeyRequestSchema = z.object({
  ...freshness,
  api_key: z.string().min(1).max(256).optional(),
  stored: storedKeySchema.optional(),
  /** The CID of the action that the key is to run. */
  action_cid: z.string().min(1).max(128),
})
export type CheckKeyRequest = z.infer<typeof checkKeyRequestSchema>

export const checkKeyAnswerSchema = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('known'),
    /** `account`: the account's own key, which can do everything in it. */
    key: z.enum(['usage', 'account', 'unknown']),
    /** Whether a run of the action would be permitted now. */
    may_execute: z.boolean(),
  }),
  refusalSchema,
])
export type CheckKeyAnswer = z.infer<typeof checkKeyAnswerSchema>
