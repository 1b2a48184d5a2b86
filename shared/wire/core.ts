/** Bodies of the core API (`spec/core-api.md`). Unknown fields are ignored (`decisions.md`). */
import { z } from 'zod'
import { PERMISSION_IDS_MAX } from '../limits.ts'

/** Text that has a UTF-8 form: a lone surrogate has none, and the contract, like the CID, is made of UTF-8. */
const text = z.string().refine((value) => value.isWellFormed(), {
  error: 'expected well-formed Unicode, without lone surrogates',
})

/**
 * An action's source. Not well-formed, it would run as one text and be permitted as another: its CID has U+FFFD
 * where the engine sees the lone surrogate.
 */
export const sourceSchema = text

/** A name or description: counted in characters, stored on the chain, so not without bound. */
const name = text.min(1).max(256)
const description = text.max(4096)

const hex = (bytes: number) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${bytes * 2}}$`), `expected ${bytes}-byte hex with 0x`)

/** A wallet's id: 32 bytes, or its 20-byte address. */
export const pkpIdSchema = z.union([hex(32), hex(20)], {
  error: (issue) =>
    typeof issue.input === 'string' ? 'expected 32-byte hex or a 20-byte address' : undefined,
})

/** keccak256 of a CID's text, or the wildcard: `0`, `"0"`, `"0x0"`. */
export const cidHashSchema = z.union([z.literal(0), z.literal('0'), z.literal('0x0'), hex(32)], {
  error: (issue) =>
    typeof issue.input === 'string' || typeof issue.input === 'number'
      ? 'expected 32-byte hex, or 0 for all actions'
      : undefined,
})

/** A group's id: an integer, or the same in decimal (15 digits: still exact as a number). 0 stands for all groups. */
export const groupIdSchema = z.union([z.int().min(0), z.string().regex(/^(0|[1-9][0-9]{0,14})$/)], {
  error: (issue) =>
    typeof issue.input === 'string' || typeof issue.input === 'number'
      ? 'expected a group id: an integer, or the same as a decimal string'
      : undefined,
})

const groupIds = z
  .array(groupIdSchema)
  .max(PERMISSION_IDS_MAX)
  .default([])
  .transform((ids) => ids.map(Number))

export const newAccountRequest = z.object({
  account_name: name,
  account_description: description,
  email: z.string().max(320).optional(),
})

export const createWalletRequest = z.object({
  name: text.max(256).default(''),
  description: description.default(''),
})

export const addGroupRequest = z
  .object({
    group_name: name.optional(),
    name: name.optional(),
    group_description: description.optional(),
    description: description.optional(),
    pkp_ids_permitted: z.array(pkpIdSchema).max(PERMISSION_IDS_MAX).default([]),
    cid_hashes_permitted: z.array(cidHashSchema).max(PERMISSION_IDS_MAX).default([]),
  })
  .transform((body, context) => {
    const groupName = body.group_name ?? body.name
    if (groupName === undefined) {
      const message = 'required: the name of the group'
      context.issues.push({ code: 'custom', message, path: ['group_name'], input: undefined })
      return z.NEVER
    }
    return {
      name: groupName,
      description: body.group_description ?? body.description ?? '',
      pkpIds: body.pkp_ids_permitted,
      cidHashes: body.cid_hashes_permitted,
    }
  })

export const addUsageApiKeyRequest = z.object({
  name,
  description: description.default(''),
  can_create_groups: z.boolean().default(false),
  can_delete_groups: z.boolean().default(false),
  can_create_pkps: z.boolean().default(false),
  manage_ipfs_ids_in_groups: groupIds,
  add_pkp_to_groups: groupIds,
  remove_pkp_from_groups: groupIds,
  execute_in_groups: groupIds,
})

export const svcActionRequest = z.object({
  code: sourceSchema,
  js_params: z.record(z.string(), z.unknown()).default({}),
})
