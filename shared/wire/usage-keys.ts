/** Bodies and answers of the core API's operations on usage keys and on the account key. */
import { z } from 'zod'
import { description, groupIdsSchema, hashAnswer, keyNameSchema, name } from './fields.ts'
import { maybe, oneOf, requestOf, spelled } from './spellings.ts'

const shownOnce = z.string().meta({ description: 'Shown once and never again.' })

export const addUsageApiKeyRequest = z.object({
  name,
  description: description.default(''),
  can_create_groups: z.boolean().default(false),
  can_delete_groups: z.boolean().default(false),
  can_create_pkps: z.boolean().default(false),
  manage_ipfs_ids_in_groups: groupIdsSchema.default([]),
  add_pkp_to_groups: groupIdsSchema.default([]),
  remove_pkp_from_groups: groupIdsSchema.default([]),
  execute_in_groups: groupIdsSchema.default([]),
})

export const addUsageApiKeyAnswer = z.object({
  success: z.literal(true),
  usage_api_key: shownOnce,
  usage_api_key_hash: hashAnswer,
})

/** The key that a request is about, by its text or its hash. */
const usageApiKeyHash = oneOf(
  spelled(keyNameSchema, 'usage_api_key', 'api_key', 'usage_api_key_hash', 'api_key_hash'),
)

export const removeUsageApiKeyRequest = requestOf({ usageApiKeyHash })

/** What an update may change; the order is that of the contract's `UsageApiKey`, whose bits name them. */
const changes = {
  name: maybe(spelled(name, 'name')),
  description: maybe(spelled(description, 'description')),
  can_create_groups: maybe(spelled(z.boolean(), 'can_create_groups')),
  can_delete_groups: maybe(spelled(z.boolean(), 'can_delete_groups')),
  can_create_pkps: maybe(spelled(z.boolean(), 'can_create_pkps')),
  manage_ipfs_ids_in_groups: maybe(spelled(groupIdsSchema, 'manage_ipfs_ids_in_groups')),
  add_pkp_to_groups: maybe(spelled(groupIdsSchema, 'add_pkp_to_groups')),
  remove_pkp_from_groups: maybe(spelled(groupIdsSchema, 'remove_pkp_from_groups')),
  execute_in_groups: maybe(spelled(groupIdsSchema, 'execute_in_groups')),
}

export const updateUsageApiKeyRequest = requestOf({ usageApiKeyHash, ...changes }).refine(
  ({ usageApiKeyHash: _key, ...changed }) =>
    Object.values(changed).some((value) => value !== undefined),
  {
    path: ['name'],
    error: 'required: this or another field of the key, else there is nothing to change',
  },
)

export const usageApiKeyAnswer = z.object({
  id: hashAnswer,
  api_key_hash: hashAnswer,
  name: z.string(),
  description: z.string(),
  can_create_groups: z.boolean(),
  can_delete_groups: z.boolean(),
  can_create_pkps: z.boolean(),
  manage_ipfs_ids_in_groups: z.array(z.int()),
  add_pkp_to_groups: z.array(z.int()),
  remove_pkp_from_groups: z.array(z.int()),
  execute_in_groups: z.array(z.int()),
  created_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable(),
})

export const usageApiKeysAnswer = z.array(usageApiKeyAnswer)

/**
 * A key that the caller made: then no answer can be lost that has the only copy of a key. Without it the origin makes
 * the key. Its text and not its hash, for a hash could be that of a wallet, and name its owner's account.
 */
export const rotateAccountApiKeyRequest = z.object({
  new_api_key: z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/, 'expected base64 of 32 random bytes: 44 characters')
    .optional()
    .meta({ description: 'A key of your own making. Left out: the origin makes one.' }),
})

export const rotateAccountApiKeyAnswer = z.object({
  success: z.literal(true),
  api_key: shownOnce.optional().meta({ description: 'Absent where the caller made the key.' }),
  api_key_hash: hashAnswer,
})
