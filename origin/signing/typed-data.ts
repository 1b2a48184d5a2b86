import { TypedDataEncoder } from 'ethers'
import { SIGNING_INPUT_MAX_BYTES } from '../../shared/limits.ts'
import {
  type Members,
  readAddress,
  readBytes,
  readInteger,
  readJson,
  readList,
  readMembers,
  readText,
  SigningInputError,
} from './fields.ts'
import { readStructTypes, type StructTypes } from './typed-data-types.ts'

/**
 * Maximum number of values, including arrays and structs. Each of them is encoded or hashed on the main thread, which
 * serves all runs.
 */
const VALUES_MAX = 512

/** Members of the domain with their types, in the order of EIP-712. */
const DOMAIN_TYPES = {
  name: 'string',
  version: 'string',
  chainId: 'uint256',
  verifyingContract: 'address',
  salt: 'bytes32',
} as const

const ARRAY = /^(.*)\[([0-9]*)\]$/
const INTEGER = /^(u?)int([0-9]+)$/
const BYTES = /^bytes([0-9]*)$/

/**
 * Computes the EIP-712 digest.
 * @param json `{domain, types, value}`. The types do not include EIP712Domain, as in ethers.
 * @returns 0x hex
 * @throws {SigningInputError}
 */
export function typedDataDigest(json: string): string {
  const bytes = Buffer.byteLength(json)
  if (bytes > SIGNING_INPUT_MAX_BYTES)
    throw new SigningInputError(
      `the typed data has ${bytes} bytes of JSON; the limit is ${SIGNING_INPUT_MAX_BYTES}`,
    )
  const data = readMembers(readJson(json, 'typed data'), 'typed data')
  const domain = readDomain(data.domain)
  const { types, primaryType } = readStructTypes(data.types)
  const value = new ValueReader(types).read(primaryType, data.value, 'value')
  return TypedDataEncoder.hash(domain, Object.fromEntries(types), value as Members)
}

function readDomain(value: unknown): Members {
  const members = readMembers(value, 'domain')
  const reader = new ValueReader(new Map())
  const domain: Members = {}
  for (const [key, member] of Object.entries(members)) {
    if (!Object.hasOwn(DOMAIN_TYPES, key))
      throw new SigningInputError(
        `domain: expected only the members ${Object.keys(DOMAIN_TYPES).join(', ')}`,
      )
    const name = key as keyof typeof DOMAIN_TYPES
    domain[name] = reader.read(DOMAIN_TYPES[name], member, `domain.${name}`)
  }
  return domain
}

/** Checks values against their types. Requires each field of a struct, and refuses members that are no fields. */
class ValueReader {
  readonly #types: StructTypes
  #count = 0

  constructor(types: StructTypes) {
    this.#types = types
  }

  read(type: string, value: unknown, path: string): unknown {
    if (++this.#count > VALUES_MAX)
      throw new SigningInputError(
        `${path}: the typed data has more than ${VALUES_MAX} values; compute its hash in the action, and use signDigest`,
      )
    const [, items, length] = ARRAY.exec(type) ?? []
    if (items !== undefined) return this.#readArray(items, length ?? '', value, path)
    const fields = this.#types.get(type)
    if (fields === undefined) return readAtomic(type, value, path)
    const members = readMembers(value, path)
    for (const key of Object.keys(members))
      if (!fields.some(({ name }) => name === key))
        throw new SigningInputError(
          `${path}: has the member ${key.slice(0, 64)}, which is no field of ${type}; remove it, or add it to the types`,
        )
    const read: Members = Object.create(null) as Members
    for (const field of fields) {
      const at = `${path}.${field.name}`
      if (members[field.name] === undefined)
        throw new SigningInputError(`${at}: missing; expected ${field.type}`)
      read[field.name] = this.read(field.type, members[field.name], at)
    }
    return read
  }

  #readArray(items: string, length: string, value: unknown, path: string): unknown[] {
    const list = readList(value, path)
    if (length !== '' && list.length !== Number(length))
      throw new SigningInputError(`${path}: has ${list.length} items; expected ${length}`)
    return list.map((item, at) => this.read(items, item, `${path}[${at}]`))
  }
}

function readAtomic(type: string, value: unknown, path: string): unknown {
  if (type === 'address') return readAddress(value, path)
  if (type === 'string') return readText(value, path)
  if (type === 'bool') {
    if (typeof value === 'boolean') return value
    throw new SigningInputError(`${path}: expected true or false`)
  }
  const [, width] = BYTES.exec(type) ?? []
  if (width !== undefined) {
    const hex = readBytes(value, path)
    if (width !== '' && hex.length !== 2 + 2 * Number(width))
      throw new SigningInputError(`${path}: has ${hex.length / 2 - 1} bytes; expected ${width}`)
    return hex
  }
  const [, unsigned, bits] = INTEGER.exec(type) ?? []
  const number = readInteger(value, path)
  const fits =
    unsigned === 'u' ? BigInt.asUintN(Number(bits), number) : BigInt.asIntN(Number(bits), number)
  if (fits !== number) throw new SigningInputError(`${path}: out of range for ${type}`)
  return number
}
