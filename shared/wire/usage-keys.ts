/** Request and response bodies of the core API's operations on usage keys and on the account key. */
import { z } from 'zod'
import { SPEND_CAP_MAX_CENTS, SPEND_WINDOW_MAX_S, SPEND_WINDOW_MIN_S } from '../limits.ts'
import { description, groupIdsSchema, hashAnswer, keyNameSchema, name } from './fields.ts'
import { maybe, oneOf, requestOf, spelled } from './spellings.ts'
import { walletProofFields } from './wallet-proofs.ts'

const shownOnce = z.string().meta({ description: 'Shown once and never again.' })

const spendCapCents = z.int().min(0).max(SPEND_CAP_MAX_CENTS).meta({
  description: 'What the key may spend in any window of spend_window_seconds.',
})
const spendWindowSeconds = z
  .int()
  .min(SPEND_WINDOW_MIN_S)
  .max(SPEND_WINDOW_MAX_S)
  .meta({ description: 'The window of spend_cap_cents: there are both or neither.' })

type SpendCap = {
  spend_cap_cents?: number | undefined
  spend_window_seconds?: number | undefined
  remove_spend_cap?: boolean | undefined
}

/** Requires cap and window together: either one alone has no meaning. */
function requireWholeCap(body: SpendCap, context: z.core.$RefinementCtx): void {
  const { spend_cap_cents: cap, spend_window_seconds: window, remove_spend_cap: isRemoved } = body
  const add = (field: keyof SpendCap, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message, input: body[field] })
  if (cap === undefined && window !== undefined)
    add('spend_cap_cents', 'required beside spend_window_seconds')
  if (cap !== undefined && window === undefined)
    add('spend_window_seconds', 'required beside spend_cap_cents')
  if (cap !== undefined && isRemoved)
    add('remove_spend_cap', 'expected false or nothing beside spend_cap_cents')
}

const EXECUTE_IN_GROUPS =
  'Groups in which the key may run actions: an action runs where one of them permits its CID. [0] stands for every group of the account, later ones included. An action that no group permits is refused to such a key too.'
const executeInGroups = groupIdsSchema.meta({ description: EXECUTE_IN_GROUPS })

/** Fields of a new key that are stored on chain. */
const newKey = {
  name,
  description: description.default(''),
  can_create_groups: z.boolean().default(false),
  can_delete_groups: z.boolean().default(false),
  can_create_pkps: z.boolean().default(false),
  manage_ipfs_ids_in_groups: groupIdsSchema.default([]),
  add_pkp_to_groups: groupIdsSchema.default([]),
  remove_pkp_from_groups: groupIdsSchema.default([]),
  execute_in_groups: executeInGroups.default([]),
}

export const addUsageApiKeyRequest = z
  .object({
    ...newKey,
    spend_cap_cents: spendCapCents.optional(),
    spend_window_seconds: spendWindowSeconds.optional(),
  })
  .superRefine(requireWholeCap)

export const addUsageApiKeyAnswer = z.object({
  success: z.literal(true),
  usage_api_key: shownOnce,
  usage_api_key_hash: hashAnswer,
})

/** A spending cap cannot be promised for a key that may never be registered. */
const noCapYet = z
  .unknown()
  .refine((cap) => cap === undefined, {
    error:
      'expected none: the key is not on the chain yet. Once it is, set its cap by update_usage_api_key with X-Wallet-Auth',
  })
  .optional()
  .meta({ description: 'Not taken here; see update_usage_api_key.' })

export const addUsageApiKeyWithSignatureRequest = z.object({
  ...walletProofFields('AddUsageApiKey'),
  ...newKey,
  spend_cap_cents: noCapYet,
  spend_window_seconds: noCapYet,
})

export const addUsageApiKeyWithSignatureAnswer = z.object({
  usage_api_key: shownOnce,
  usage_api_key_hash: hashAnswer.meta({
    description: 'To be registered by the admin wallet: setUsageApiKey.',
  }),
})

/** The key to change, by its text or its hash. */
const usageApiKeyHash = oneOf(
  spelled(keyNameSchema, 'usage_api_key', 'api_key', 'usage_api_key_hash', 'api_key_hash'),
)

export const removeUsageApiKeyRequest = requestOf({ usageApiKeyHash })

/** Fields that an update may change, in the order of the contract's `UsageApiKey`, whose bit mask identifies them. */
const changes = {
  name: maybe(spelled(name, 'name')),
  description: maybe(spelled(description, 'description')),
  can_create_groups: maybe(spelled(z.boolean(), 'can_create_groups')),
  can_delete_groups: maybe(spelled(z.boolean(), 'can_delete_groups')),
  can_create_pkps: maybe(spelled(z.boolean(), 'can_create_pkps')),
  manage_ipfs_ids_in_groups: maybe(spelled(groupIdsSchema, 'manage_ipfs_ids_in_groups')),
  add_pkp_to_groups: maybe(spelled(groupIdsSchema, 'add_pkp_to_groups')),
  remove_pkp_from_groups: maybe(spelled(groupIdsSchema, 'remove_pkp_from_groups')),
  execute_in_groups: maybe(spelled(executeInGroups, 'execute_in_groups')),
}

/** Fields that are stored off chain. */
const spendCap = {
  spend_cap_cents: maybe(spelled(spendCapCents, 'spend_cap_cents')),
  spend_window_seconds: maybe(spelled(spendWindowSeconds, 'spend_window_seconds')),
  remove_spend_cap: maybe(
    spelled(
      z.boolean().meta({ description: 'true: the key has no cap from then on.' }),
      'remove_spend_cap',
    ),
  ),
}

export const updateUsageApiKeyRequest = requestOf({ usageApiKeyHash, ...changes, ...spendCap })
  .superRefine(requireWholeCap)
  .refine(
    ({ usageApiKeyHash: _key, remove_spend_cap: isRemoved, ...changed }) =>
      isRemoved === true || Object.values(changed).some((value) => value !== undefined),
    {
      path: ['name'],
      error:
        'required: this or another field of the key, else there is nothing to change (remove_spend_cap: true takes its cap away)',
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
  execute_in_groups: z.array(z.int()).meta({ description: EXECUTE_IN_GROUPS }),
  created_at: z.iso.datetime().nullable(),
  last_used_at: z.iso.datetime().nullable(),
})

export const usageApiKeysAnswer = z.array(
  usageApiKeyAnswer.extend({
    spend_cap_cents: z.int().nullable(),
    spend_window_seconds: z.int().nullable(),
    spent_cents: z
      .int()
      .nullable()
      .meta({ description: 'Spent in the window; null without a cap.' }),
  }),
)

/**
 * Lets the caller generate the new key, so that a lost response cannot lose the only copy. Without it, the origin
 * generates one. Takes the key, not its hash: a hash could be that of a wallet, and would name its owner's account.
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
