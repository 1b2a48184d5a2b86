/**
 * Messages for checking a usage key at the origin. The edge checks a key before it stores the key or uses a stored key
 * for another action.
 */
import { z } from 'zod'
import { TRIGGER_ID_CHARACTERS } from '../ids.ts'
import { type StoredLinkKey, storedLinkKeySchema } from './account-links.ts'
import {
  base64url,
  replayProtection,
  sealedRefusalSchema,
  type StoredUsageKey,
  storedUsageKeySchema,
} from './sealed.ts'

export const SEALED_KEYS_PATH = '/sealed/keys'

/** `not_for_triggers`: the key is restricted to web origins or addresses, without `allow_triggers`. */
const KEY_REFUSALS = ['expired', 'not_for_triggers'] as const
export type KeyRefusal = (typeof KEY_REFUSALS)[number]

export type KeyToCheck =
  | { api_key: string }
  | { stored: StoredUsageKey; reseal_for?: string }
  | { stored_link: StoredLinkKey; reseal_for?: string }

export const checkKeyRequestSchema = z.object({
  ...replayProtection,
  api_key: z.string().min(1).max(256).optional(),
  stored: storedUsageKeySchema.optional(),
  /** Key of an account link. */
  stored_link: storedLinkKeySchema.optional(),
  /** ID of another trigger of the same owner, for which the origin seals the stored key again. */
  reseal_for: base64url.length(TRIGGER_ID_CHARACTERS).optional(),
  /** Required, except for an account link. */
  action_cid: z.string().min(1).max(128).optional(),
  /** True if the key is checked for an account link. The response then describes the key and its account. */
  for_link: z.boolean().optional(),
})
export type CheckKeyRequest = z.infer<typeof checkKeyRequestSchema>

export const checkKeyResponseSchema = z.discriminatedUnion('state', [
  z.object({
    state: z.literal('known'),
    /** Kind of the key. `account` is the account key, which can do everything in the account. */
    key: z.enum(['usage', 'account', 'unknown']),
    may_execute: z.boolean(),
    /** Hashes of a known key and of its account, as on the chain. Only with `for_link`. */
    key_hash: z.string().optional(),
    account_hash: z.string().optional(),
    /** True for a usage key with `can_read_account`. Only with `for_link`. */
    reads_account: z.boolean().optional(),
    /** Limit of the usage key because of which runs of triggers are refused. Absent if there is none. */
    refused_by: z.enum(KEY_REFUSALS).optional(),
    /** The key, sealed for `reseal_for`. Absent if it is not a usage key, has expired, or the origin is too old. */
    sealed_usage_key: base64url.optional(),
  }),
  sealedRefusalSchema,
])
export type CheckKeyResponse = z.infer<typeof checkKeyResponseSchema>
