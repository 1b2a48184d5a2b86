import { z } from 'zod'
import { SPEND_CAP_MAX_CENTS, SPEND_WINDOW_MAX_S, SPEND_WINDOW_MIN_S } from '../limits.ts'
import {
  descriptionSchema,
  groupIdsSchema,
  hashSchema,
  keyOrHashSchema,
  nameSchema,
} from './fields.ts'
import { optionalField, requiredField, requestSchema, aliases } from './aliased-fields.ts'
import {
  changedLimits,
  listedLimits,
  newLimits,
  noLimitsYet,
  requireClearLimits,
} from './usage-key-limits.ts'
import { walletProofFields } from './wallet-proofs.ts'

const shownOnce = z.string().meta({ description: 'Shown only once.' })

const spendCapCents = z.int().min(0).max(SPEND_CAP_MAX_CENTS).meta({
  description: 'The most that the key can spend within any spend_window_seconds.',
})
const spendWindowSeconds = z
  .int()
  .min(SPEND_WINDOW_MIN_S)
  .max(SPEND_WINDOW_MAX_S)
  .meta({ description: 'The window of spend_cap_cents. Both are set, or neither is.' })

type SpendCap = {
  spend_cap_cents?: number | undefined
  spend_window_seconds?: number | undefined
  remove_spend_cap?: boolean | undefined
}

/** Requires both the cap and its window. A cap without its window, or a window without a cap, has no meaning. */
function requireWholeCap(body: SpendCap, context: z.core.$RefinementCtx): void {
  const { spend_cap_cents: cap, spend_window_seconds: window, remove_spend_cap: isRemoved } = body
  const add = (field: keyof SpendCap, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message, input: body[field] })
  if (cap === undefined && window !== undefined)
    add('spend_cap_cents', 'required together with spend_window_seconds')
  if (cap !== undefined && window === undefined)
    add('spend_window_seconds', 'required together with spend_cap_cents')
  if (cap !== undefined && isRemoved)
    add('remove_spend_cap', 'cannot be true together with spend_cap_cents')
}

const EXECUTE_IN_GROUPS =
  'Groups whose actions the key can run: one of them must permit the CID of the action. [0] stands for every group of the account, including future ones. Even then, a group must permit the action.'
const executeInGroups = groupIdsSchema.meta({ description: EXECUTE_IN_GROUPS })

const newKey = {
  name: nameSchema,
  description: descriptionSchema.default(''),
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
    ...newLimits,
  })
  .superRefine(requireWholeCap)

export const addUsageApiKeyResponse = z.object({
  success: z.literal(true),
  usage_api_key: shownOnce,
  usage_api_key_hash: hashSchema,
})

/**
 * Rejects a spending cap or another limit. The key is not registered yet and may never be, so they could not be
 * guaranteed.
 */
const notYet = z
  .unknown()
  .refine((limit): limit is undefined => limit === undefined, {
    error:
      'not allowed: the key is not on chain yet. Once it is, set its cap and limits with update_usage_api_key and X-Wallet-Auth',
  })
  .optional()
  .meta({ description: 'Not accepted here; see update_usage_api_key.' })

export const addUsageApiKeyWithSignatureRequest = z.object({
  ...walletProofFields('AddUsageApiKey'),
  ...newKey,
  spend_cap_cents: notYet,
  spend_window_seconds: notYet,
  ...noLimitsYet(notYet),
})

export const addUsageApiKeyWithSignatureResponse = z.object({
  usage_api_key: shownOnce,
  usage_api_key_hash: hashSchema.meta({
    description: 'The admin wallet must register it with setUsageApiKey.',
  }),
})

const usageApiKeyHash = requiredField(
  aliases(keyOrHashSchema, 'usage_api_key', 'api_key', 'usage_api_key_hash', 'api_key_hash'),
)

export const removeUsageApiKeyRequest = requestSchema({ usageApiKeyHash })

/** Changeable fields, in the order of the contract's `UsageApiKey`, because a bit mask identifies the fields. */
const changes = {
  name: optionalField(aliases(nameSchema, 'name')),
  description: optionalField(aliases(descriptionSchema, 'description')),
  can_create_groups: optionalField(aliases(z.boolean(), 'can_create_groups')),
  can_delete_groups: optionalField(aliases(z.boolean(), 'can_delete_groups')),
  can_create_pkps: optionalField(aliases(z.boolean(), 'can_create_pkps')),
  manage_ipfs_ids_in_groups: optionalField(aliases(groupIdsSchema, 'manage_ipfs_ids_in_groups')),
  add_pkp_to_groups: optionalField(aliases(groupIdsSchema, 'add_pkp_to_groups')),
  remove_pkp_from_groups: optionalField(aliases(groupIdsSchema, 'remove_pkp_from_groups')),
  execute_in_groups: optionalField(aliases(executeInGroups, 'execute_in_groups')),
}

/** Fields of the spending cap, which is stored off chain. */
const spendCap = {
  spend_cap_cents: optionalField(aliases(spendCapCents, 'spend_cap_cents')),
  spend_window_seconds: optionalField(aliases(spendWindowSeconds, 'spend_window_seconds')),
  remove_spend_cap: optionalField(
    aliases(
      z.boolean().meta({ description: 'true removes the cap of the key.' }),
      'remove_spend_cap',
    ),
  ),
}

export const updateUsageApiKeyRequest = requestSchema({
  usageApiKeyHash,
  ...changes,
  ...spendCap,
  ...changedLimits,
})
  .superRefine(requireWholeCap)
  .superRefine(requireClearLimits)
  .refine(
    ({ usageApiKeyHash: _key, remove_spend_cap: isRemoved, ...changed }) =>
      isRemoved === true || Object.values(changed).some((value) => value !== undefined),
    {
      path: ['name'],
      error:
        'required: this field, or another one to change (remove_spend_cap: true removes the cap, and remove_limits the limits that it names)',
    },
  )

export const usageApiKeyResponse = z.object({
  id: hashSchema,
  api_key_hash: hashSchema,
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

export const usageApiKeysResponse = z.array(
  usageApiKeyResponse.extend({
    spend_cap_cents: z.int().nullable(),
    spend_window_seconds: z.int().nullable(),
    spent_cents: z
      .int()
      .nullable()
      .meta({ description: 'Spent in the window; null without a cap.' }),
    ...listedLimits,
  }),
)

/**
 * Request to rotate the account key. The caller can generate the new key, so that the only copy cannot be lost with the
 * response. Otherwise, the origin generates the key. The request contains the key instead of its hash, because a hash
 * could belong to a wallet and would then identify the account of the wallet's owner.
 */
export const rotateAccountApiKeyRequest = z.object({
  new_api_key: z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/, 'expected base64 of 32 random bytes: 44 characters')
    .optional()
    .meta({ description: 'A key that you generated. Default: the origin generates one.' }),
})

export const rotateAccountApiKeyResponse = z.object({
  success: z.literal(true),
  api_key: shownOnce.optional().meta({ description: 'Absent if the caller generated the key.' }),
  api_key_hash: hashSchema,
})
