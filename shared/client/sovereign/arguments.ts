/**
 * Converts arguments to the contract's types. Limits and the existence of named objects are checked later, when the
 * contract call is simulated.
 */
import { cidHash, isActionCid } from '../../cid/cid-format.ts'
import { WILDCARD } from '../../cid/wildcard.ts'
import { apiKeyHash } from '../../crypto/keccak.ts'
import type { CidHash, PkpId } from '../core/account.ts'
import { NotSent } from '../failures/transport-errors.ts'

/** An argument is invalid, regardless of the account's state. */
export class InvalidArgument extends NotSent {
  override name = 'InvalidArgument'
  /** Path of the invalid value, such as `pkp_ids_permitted[3]`. */
  readonly field: string
  constructor(field: string, expected: string) {
    super('invalid_argument', `${field}: ${expected}`, 'Correct the value; nothing was sent.')
    this.field = field
  }
}

export function pkpIdOf(field: string, id: PkpId): string {
  if (isHex(id, 32)) return id.toLowerCase()
  if (isHex(id, 20)) return `0x${'0'.repeat(24)}${id.slice(2).toLowerCase()}`
  throw new InvalidArgument(field, 'expected 32-byte hex or a 20-byte address')
}

export function cidHashOf(field: string, hash: CidHash): string {
  if (hash === 0 || hash === '0' || hash === '0x0') return WILDCARD
  if (isHex(hash, 32)) return hash.toLowerCase()
  throw new InvalidArgument(field, 'expected 32-byte hex, or 0 for all actions')
}

export function namedCidHash(
  fields: { action_ipfs_cid: string } | { hashed_cid: CidHash },
): string {
  if ('action_ipfs_cid' in fields) return cidHash(cidOf(fields.action_ipfs_cid))
  return cidHashOf('hashed_cid', fields.hashed_cid)
}

export function cidOf(cid: string): string {
  if (isActionCid(cid)) return cid
  throw new InvalidArgument('action_ipfs_cid', 'expected a CIDv0: Qm followed by 44 characters')
}

/** Converts the ID of a single group. 0, which means all groups, is not allowed. */
export function groupIdOf(id: number): number {
  if (Number.isSafeInteger(id) && id > 0) return id
  throw new InvalidArgument('group_id', 'expected a group ID of 1 or more')
}

export function groupIdsOf(field: string, ids: readonly number[]): number[] {
  return listOf(field, ids, (at, id) => {
    if (Number.isSafeInteger(id) && id >= 0) return id
    throw new InvalidArgument(at, 'expected a group ID: an integer, 0 for all groups')
  })
}

/** Converts the items of a list and removes duplicates, as the contract does. */
export function listOf<Given, Taken>(
  field: string,
  given: readonly Given[],
  take: (field: string, one: Given) => Taken,
): Taken[] {
  if (!Array.isArray(given)) throw new InvalidArgument(field, 'expected an array')
  return [...new Set(given.map((one: Given, at) => take(`${field}[${at}]`, one)))]
}

/**
 * Builds the arguments of a partial update. Bit n of `fields` is set if the n-th value is given. The contract does not
 * change the other values, so a concurrent change to them is not overwritten.
 * @param members each with a placeholder, which is used if the value is absent
 * @throws {InvalidArgument} if no value is given
 */
export function maskedUpdate(members: readonly [given: unknown, absent: unknown][]) {
  let fields = 0
  const values = members.map(([given, absent], bit) => {
    if (given === undefined) return absent
    fields += 2 ** bit
    return given
  })
  if (fields === 0) throw new InvalidArgument('fields', 'expected at least one field to change')
  return { fields, values }
}

/**
 * Returns the hash of a usage key. Accepts the key or its hash. Only the hash is sent. One of 4,096 keys starts with
 * `0x`, but none is hex: a key ends with `=`.
 */
export function usageKeyHashOf(key: string): string {
  if (isHex(key, 32)) return key.toLowerCase()
  if (typeof key === 'string' && key !== '' && !/^0x[0-9a-fA-F]*$/.test(key)) return apiKeyHash(key)
  throw new InvalidArgument('usage_api_key', 'expected the key or its hash: 32-byte hex with 0x')
}

/** Rejects text with lone surrogates, because the contract would receive them as a different character. */
export function requireWellFormed(field: string, text: string): string {
  if (typeof text === 'string' && text.isWellFormed()) return text
  throw new InvalidArgument(field, 'expected well-formed Unicode')
}

function isHex(value: string, bytes: number): boolean {
  return typeof value === 'string' && new RegExp(`^0x[0-9a-fA-F]{${2 * bytes}}$`).test(value)
}
