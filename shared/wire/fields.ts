/**
 * The fields that bodies and parameters of the core API are made of. Each takes every form that `decisions.md`
 * allows and gives one: what two spellings of a field say can then be compared.
 */
import { getAddress, keccak256, toUtf8Bytes, zeroPadValue } from 'ethers'
import { z } from 'zod'
import { CID_SHAPE } from '../action-cid.ts'
import { DESCRIPTION_MAX_CHARACTERS, NAME_MAX_CHARACTERS, PERMISSION_IDS_MAX } from '../limits.ts'
import { text } from './text.ts'

/** A name or description: counted in characters, stored on the chain, so not without bound. */
export const name = text.min(1).max(NAME_MAX_CHARACTERS)
export const nameOrEmpty = text.max(NAME_MAX_CHARACTERS)
export const description = text.max(DESCRIPTION_MAX_CHARACTERS)

export const hex = (bytes: number) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${bytes * 2}}$`), `expected ${bytes}-byte hex with 0x`)

/** The zero word: every wallet, or every action. */
const WILDCARD = `0x${'0'.repeat(64)}`

/** A wallet's id: 32 bytes, or its 20-byte address. Gives the 32 bytes, lower-case. */
export const pkpIdSchema = z
  .union([hex(32), hex(20)], {
    error: (issue) =>
      typeof issue.input === 'string' ? 'expected 32-byte hex or a 20-byte address' : undefined,
  })
  .transform((id) => zeroPadValue(id.toLowerCase(), 32))

/** keccak256 of a CID's text, or the wildcard: `0`, `"0"`, `"0x0"`. Gives 32 bytes, lower-case. */
export const cidHashSchema = z
  .union([z.literal(0), z.literal('0'), z.literal('0x0'), hex(32)], {
    error: (issue) =>
      typeof issue.input === 'string' || typeof issue.input === 'number'
        ? 'expected 32-byte hex, or 0 for all actions'
        : undefined,
  })
  .transform((hash) => (String(hash).length < 66 ? WILDCARD : String(hash).toLowerCase()))

/** A raw CIDv0 (specification, Action identity 7). */
export const cidSchema = z.string().regex(CID_SHAPE, 'expected a CIDv0: Qm and 44 more characters')

/** A raw CIDv0, where its hash is what counts. */
export const cidAsHashSchema = cidSchema.transform((cid) => keccak256(toUtf8Bytes(cid)))

const GROUP_ID = 'expected a group id: an integer, or the same as a decimal string'

/** A group's id: an integer, or the same in decimal (15 digits: still exact as a number). 0 stands for all groups. */
export const groupIdSchema = z
  .union([z.int().min(0), z.string().regex(/^(0|[1-9][0-9]{0,14})$/, GROUP_ID)], {
    error: (issue) =>
      typeof issue.input === 'string' || typeof issue.input === 'number' ? GROUP_ID : undefined,
  })
  .transform(Number)

/** Where one group is meant, 0 names none. */
export const oneGroupIdSchema = groupIdSchema.refine((id) => id > 0, {
  error: 'expected the id of one group: they count from 1',
})

/**
 * Ids of a permission array, each once. Their number is looked at before they are: a body has room for millions.
 */
function idsOf<Id>(schema: z.ZodType<Id>) {
  return z
    .array(z.unknown())
    .max(PERMISSION_IDS_MAX)
    .meta({ items: itemsOf(schema) })
    .pipe(z.array(schema))
    .transform((ids) => [...new Set(ids)])
}

/** For the API's description, that sees the unknown items alone. */
function itemsOf(schema: z.ZodType): object {
  const { $schema: _dialect, ...items } = z.toJSONSchema(schema, { io: 'input' })
  return items
}

/** Groups of a usage key's permission: 0 stands for all. */
export const groupIdsSchema = idsOf(groupIdSchema)
export const pkpIdsSchema = idsOf(pkpIdSchema)
export const cidHashesSchema = idsOf(cidHashSchema)

/** A usage key by its text or its hash. Gives the hash: what is never stored is not passed on either. */
export const keyNameSchema = text
  .min(1)
  .max(NAME_MAX_CHARACTERS)
  .refine((key) => !/^0x[0-9a-fA-F]*$/.test(key) || key.length === 66, {
    error: 'expected the key, or its hash: 32-byte hex with 0x',
  })
  .transform((key) =>
    /^0x[0-9a-fA-F]{64}$/.test(key) ? key.toLowerCase() : keccak256(toUtf8Bytes(key)),
  )

/** Of a query: 15 digits are still exact as a number. */
export const integerText = z
  .string()
  .regex(/^-?[0-9]{1,15}$/, 'expected an integer')
  .transform(Number)

/** Of answers. */
export const addressAnswer = hex(20).meta({ description: 'EIP-55 form.' })
export const hashAnswer = hex(32)
export const successAnswer = z.object({ success: z.literal(true) })

/** The EIP-55 address in a wallet's id. */
export function addressOfPkp(pkpId: string): string {
  return getAddress(`0x${pkpId.slice(-40)}`)
}
