/**
 * Schemas of request fields. Each schema normalizes all accepted forms of a value, so that two spellings of one field
 * can be compared.
 */
import { getAddress, zeroPadValue } from 'ethers'
import { z } from 'zod'
import { CID_PATTERN, cidHash } from '../cid/cid-format.ts'
import { WILDCARD } from '../cid/wildcard.ts'
import { apiKeyHash } from '../crypto/keccak.ts'
import { DESCRIPTION_MAX_CHARACTERS, NAME_MAX_CHARACTERS, PERMISSION_IDS_MAX } from '../limits.ts'
import { jsonSchemaOf } from '../openapi/json-schema.ts'
import { textSchema } from './text.ts'

/** Name of an object. Its length is counted in characters, and limited because the name is stored on chain. */
export const nameSchema = textSchema.min(1).max(NAME_MAX_CHARACTERS)
export const nameOrEmptySchema = textSchema.max(NAME_MAX_CHARACTERS)
export const descriptionSchema = textSchema.max(DESCRIPTION_MAX_CHARACTERS)

export const hexSchema = (bytes: number) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${bytes * 2}}$`), `expected ${bytes}-byte hex with 0x`)

/** A wallet ID of 32 bytes, or the wallet's address of 20 bytes. Normalized to 32 bytes in lower-case hex. */
export const pkpIdSchema = z
  .union([hexSchema(32), hexSchema(20)], {
    error: (issue) =>
      typeof issue.input === 'string' ? 'expected 32-byte hex or a 20-byte address' : undefined,
  })
  .transform((id) => zeroPadValue(id.toLowerCase(), 32))

/**
 * Hash of an action: the keccak-256 of a CID's text, or the wildcard as `0`, `"0"` or `"0x0"`. Normalized to 32 bytes
 * in lower-case hex.
 */
export const cidHashSchema = z
  .union([z.literal(0), z.literal('0'), z.literal('0x0'), hexSchema(32)], {
    error: (issue) =>
      typeof issue.input === 'string' || typeof issue.input === 'number'
        ? 'expected 32-byte hex, or 0 for all actions'
        : undefined,
  })
  .transform((hash) => (String(hash).length < 66 ? WILDCARD : String(hash).toLowerCase()))

export const cidSchema = z
  .string()
  .regex(CID_PATTERN, 'expected a CIDv0: Qm followed by 44 characters')

export const cidAsHashSchema = cidSchema.transform(cidHash)

const GROUP_ID = 'expected a group ID: an integer, or an integer as a decimal string'

/**
 * Group ID as a number or a decimal string. 0 means all groups. A string has at most 15 digits, so that a JavaScript
 * number can represent it exactly.
 */
const groupIdSchema = z
  .union([z.int().min(0), z.string().regex(/^(0|[1-9][0-9]{0,14})$/, GROUP_ID)], {
    error: (issue) =>
      typeof issue.input === 'string' || typeof issue.input === 'number' ? GROUP_ID : undefined,
  })
  .transform(Number)

/** ID of a single group. Excludes 0, which means all groups. */
export const oneGroupIdSchema = groupIdSchema.refine((id) => id > 0, {
  error: 'expected a group ID of 1 or more',
})

/**
 * Creates the schema of an array of IDs without duplicates. The array's length is checked before its items, because a
 * body can contain millions of items.
 */
function idsOf<Id>(schema: z.ZodType<Id>) {
  return (
    z
      .array(z.unknown())
      .max(PERMISSION_IDS_MAX)
      // The item schema is added for the OpenAPI document, which would otherwise describe the items as `unknown`.
      .meta({ items: jsonSchemaOf(schema, 'input') })
      .pipe(z.array(schema))
      .transform((ids) => [...new Set(ids)])
  )
}

/** IDs of the groups that a usage key's permission applies to. 0 means all groups. */
export const groupIdsSchema = idsOf(groupIdSchema)
export const pkpIdsSchema = idsOf(pkpIdSchema)
export const cidHashesSchema = idsOf(cidHashSchema)

/** A usage key or its hash. A key is transformed into its hash, so that the key itself is not passed on. */
export const keyOrHashSchema = textSchema
  .min(1)
  .max(NAME_MAX_CHARACTERS)
  .refine((key) => !/^0x[0-9a-fA-F]*$/.test(key) || key.length === 66, {
    error: 'expected the key or its hash: 32-byte hex with 0x',
  })
  .transform((key) => (/^0x[0-9a-fA-F]{64}$/.test(key) ? key.toLowerCase() : apiKeyHash(key)))

/** An integer as text with at most 15 digits, which a JavaScript number represents exactly. */
export const integerText = z
  .string()
  .regex(/^-?[0-9]{1,15}$/, 'expected an integer')
  .transform(Number)

export const addressSchema = hexSchema(20).meta({ description: 'EIP-55 form.' })
export const hashSchema = hexSchema(32)
export const successResponse = z.object({ success: z.literal(true) })

export function addressOfPkp(pkpId: string): string {
  return getAddress(`0x${pkpId.slice(-40)}`)
}
