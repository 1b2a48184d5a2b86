/** Reads typed data (EIP-712) strictly. */
import { type AbiType, type AbiValue, elementaryType, fitsInteger, typeName } from './abi-type.ts'
import { readAddress } from './address.ts'
import { DeniedError } from './denial.ts'
import { type Fields, quoted, readList, readText, requireFields } from './fields.ts'
import { type Notation, readBytes, readInteger, requireBytes, readChain } from './numbers.ts'
import { DOMAIN_TYPE, encodeType, readStructTypes, type StructType } from './struct-types.ts'

export type TypedData = {
  domain: TypedDataDomain
  primaryType: string
  type: StructType
  value: readonly AbiValue[]
}

export type TypedDataDomain = {
  name?: string
  version?: string
  chainId?: bigint
  verifyingContract?: string
  salt?: string
}

/** Members of the domain, in the order of EIP-712. */
const DOMAIN_MEMBERS = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
] as const

/**
 * Maximum number of values, including arrays and structs. Each one is encoded or hashed on the origin's main thread,
 * which serves all runs.
 */
const VALUES_MAX = 512

/** @throws {DeniedError} */
export function readTypedData(fields: Fields, notation: Notation): TypedData {
  const domain = readDomain(fields.required('domain', 'an object'), notation)
  const domainType = notation === 'strict' ? domainStruct(domain).type.encodedType : undefined
  const given = fields.required('types', 'an object')
  const { primaryType, type } = readStructTypes(given, domainType)
  const stated = fields.value('primaryType')
  if (stated !== undefined && stated !== primaryType)
    throw new DeniedError(
      'invalid_type',
      `primaryType: expected ${primaryType}, the only type to which no other refers`,
    )
  const reader = new ValueReader(notation)
  const value = reader.read(type, fields.required('value', 'an object'), 'value')
  return { domain, primaryType, type, value: value as readonly AbiValue[] }
}

function readDomain(value: unknown, notation: Notation): TypedDataDomain {
  const fields = requireFields(value, 'domain')
  fields.requireKnown(DOMAIN_MEMBERS.map(({ name }) => name))
  const reader = new ValueReader(notation)
  const given = DOMAIN_MEMBERS.filter(({ name }) => fields.value(name) !== undefined)
  return Object.fromEntries(
    given.map(({ name, type }) => {
      const [member, path] = [fields.value(name), `domain.${name}`]
      if (name === 'chainId' && notation === 'strict') return [name, readChain(member, path)]
      return [name, reader.read(elementaryType(type)!, member, path)]
    }),
  )
}

/** Returns the domain as a struct whose type has only the members that are present. */
export function domainStruct(domain: TypedDataDomain): { type: StructType; value: AbiValue[] } {
  const present = DOMAIN_MEMBERS.filter(({ name }) => domain[name] !== undefined)
  const members = present.map(({ name, type }) => ({ name, type: elementaryType(type)! }))
  const type = { kind: 'tuple', members, encodedType: encodeType(DOMAIN_TYPE, present) } as const
  return { type, value: present.map(({ name }) => domain[name]!) }
}

/** Checks values against their types. A struct must have exactly the fields of its type. */
class ValueReader {
  readonly #notation: Notation
  #left = VALUES_MAX

  constructor(notation: Notation) {
    this.#notation = notation
  }

  read(type: AbiType, value: unknown, path: string): AbiValue {
    if (--this.#left < 0)
      throw new DeniedError(
        'data_too_long',
        `${path}: the typed data has more than ${VALUES_MAX} values; compute its hash in the action, and use signDigest`,
      )
    switch (type.kind) {
      case 'tuple': {
        const fields = requireFields(value, path)
        const extra = fields.names.find((name) => type.members.every((each) => each.name !== name))
        if (extra !== undefined)
          throw new DeniedError(
            'extra_field',
            `${path}: has the member ${quoted(extra)}, which its type does not have; remove it, or add it to the types`,
          )
        return type.members.map((member) => {
          const given = fields.required(member.name, typeName(member.type))
          return this.read(member.type, given, `${path}.${member.name}`)
        })
      }
      case 'array': {
        const items = readList(value, path, 'invalid_type')
        if (type.length !== null && items.length !== type.length)
          throw new DeniedError(
            'invalid_type',
            `${path}: has ${items.length} items; expected ${type.length}`,
          )
        return items.map((item, index) => this.read(type.of, item, `${path}[${index}]`))
      }
      case 'address':
        return readAddress(value, path, this.#notation)
      case 'bool':
        if (typeof value === 'boolean') return value
        throw new DeniedError('invalid_type', `${path}: expected true or false`)
      case 'uint':
      case 'int': {
        const number = readInteger(value, path, this.#notation)
        if (fitsInteger(type, number)) return number
        throw new DeniedError('number_out_of_range', `${path}: out of range for ${typeName(type)}`)
      }
      case 'fixed_bytes':
        return requireBytes(readBytes(value, path), type.bytes, path)
      case 'bytes':
        return readBytes(value, path)
      case 'string':
        return readText(value, path)
    }
  }
}
