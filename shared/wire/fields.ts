/**
 * Field schemas of the core API's bodies and parameters. Each one normalizes all accepted forms of a value, so that two
 * spellings of one field can be compared.
 */
import { getAddress, keccak256, toUtf8Bytes, zeroPadValue } from 'ethers'
import { z } from 'zod'
import { CID_SHAPE } from '../action-cid.ts'
import { DESCRIPTION_MAX_CHARACTERS, NAME_MAX_CHARACTERS, PERMISSION_IDS_MAX } from '../limits.ts'
import { text } from './text.ts'

/** Length is counted in characters, and bounded because the text is stored on chain. */
export const name = text.min(1).max(NAME_MAX_CHARACTERS)
export const nameOrEmpty = text.max(NAME_MAX_CHARACTERS)
export const description = text.max(DESCRIPTION_MAX_CHARACTERS)

export const hex = (bytes: number) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${bytes * 2}}$`), `expected ${bytes}-byte hex with 0x`)

/** The zero word, which stands for every wallet or every action. */
const WILDCARD = `0x${'0'.repeat(64)}`

/** A wallet ID (32 bytes) or its 20-byte address. Normalizes to 32 lower-case bytes. */
export const pkpIdSchema = z
  .union([hex(32), hex(20)], {
    error: (issue) =>
      typeof issue.input === 'string' ? 'expected 32-byte hex or a 20-byte address' : undefined,
  })
  .transform((id) => zeroPadValue(id.toLowerCase(), 32))

/** The keccak256 hash of a CID's text, or the wildcard as `0`, `"0"` or `"0x0"`. Normalizes to 32 lower-case bytes. */
export const cidHashSchema = z
  .union([z.literal(0), z.literal('0'), z.literal('0x0'), hex(32)], {
    error: (issue) =>
      typeof issue.input === 'string' || typeof issue.input === 'number'
        ? 'expected 32-byte hex, or 0 for all actions'
        : undefined,
  })
  .transform((hash) => (String(hash).length < 66 ? WILDCARD : String(hash).toLowerCase()))

export const cidSchema = z.string().regex(CID_SHAPE, 'expected a CIDv0: Qm and 44 more characters')

/** A raw CIDv0, transformed into its hash. */
export const cidAsHashSchema = cidSchema.transform((cid) => keccak256(toUtf8Bytes(cid)))

const GROUP_ID = 'expected a group id: an integer, or the same as a decimal string'

/**
 * A group ID as an integer or decimal string. Limited to 15 digits, which a number represents exactly. 0 means all
 * groups.
 */
export const groupIdSchema = z
  .union([z.int().min(0), z.string().regex(/^(0|[1-9][0-9]{0,14})$/, GROUP_ID)], {
    error: (issue) =>
      typeof issue.input === 'string' || typeof issue.input === 'number' ? GROUP_ID : undefined,
  })
  .transform(Number)

/** A group ID for operations on a single group, where 0 is not allowed. */
export const oneGroupIdSchema = groupIdSchema.refine((id) => id > 0, {
  error: 'expected the id of one group: they count from 1',
})

/** An array of IDs, deduplicated. Checks the length before the items, because a body has room for millions. */
function idsOf<Id>(schema: z.ZodType<Id>) {
  return z
    .array(z.unknown())
    .max(PERMISSION_IDS_MAX)
    .meta({ items: itemsOf(schema) })
    .pipe(z.array(schema))
    .transform((ids) => [...new Set(ids)])
}

/** JSON Schema of the items, for the API description, which otherwise sees only `unknown`. */
function itemsOf(schema: z.ZodType): object {
  const { $schema: _dialect, ...items } = z.toJSONSchema(schema, { io: 'input' })
  return items
}

/** Groups of a usage key's permission. 0 means all groups. */
export const groupIdsSchema = idsOf(groupIdSchema)
export const pkpIdsSchema = idsOf(pkpIdSchema)
export const cidHashesSchema = idsOf(cidHashSchema)

/** A usage key by its text or its hash. Transforms it into the hash, so that the key itself is not passed on. */
export const keyNameSchema = text
  .min(1)
  .max(NAME_MAX_CHARACTERS)
  .refine((key) => !/^0x[0-9a-fA-F]*$/.test(key) || key.length === 66, {
    error: 'expected the key, or its hash: 32-byte hex with 0x',
  })
  .transform((key) =>
    /^0x[0-9a-fA-F]{64}$/.test(key) ? key.toLowerCase() : keccak256(toUtf8Bytes(key)),
  )

/** An integer query parameter. 15 digits are still exact as a number. */
export const integerText = z
  .string()
  .regex(/^-?[0-9]{1,15}$/, 'expected an integer')
  .transform(Number)

// Fields of responses.
export const addressAnswer = hex(20).meta({ description: 'EIP-55 form.' })
export const hashAnswer = hex(32)
export const successAnswer = z.object({ success: z.literal(true) })

/** Returns the EIP-55 address contained in a wallet ID. */
export function addressOfPkp(pkpId: string): string {
  return getAddress(`0x${pkpId.slice(-40)}`)
}
