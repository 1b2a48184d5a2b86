/** Reads typed data (EIP-712) strictly. */
import {
  type AbiTuple,
  type AbiType,
  type AbiValue,
  elementaryType,
  TYPE_DEPTH_MAX,
} from './abi-type.ts'
import { readAddress } from './address.ts'
import { DeniedError } from './denial.ts'
import { TYPED_DATA_PATHS_MAX } from '../limits.ts'
import { type Fields, requireFields } from './fields.ts'
import { SIGNED_DATA_MAX_BYTES } from './limits.ts'
import { readBytes, readInteger } from './numbers.ts'

export type TypedData = {
  domain: TypedDataDomain
  primaryType: string
  /** `encodeType` of the primary type (EIP-712), which names all types and members. */
  encodedType: string
  types: ReadonlyMap<string, readonly TypedDataMember[]>
  type: AbiTuple
  value: readonly AbiValue[]
}

export type TypedDataDomain = {
  name?: string
  version?: string
  chainId?: bigint
  verifyingContract?: string
  salt?: string
}

type TypedDataMember = { name: string; type: string }
type Types = ReadonlyMap<string, readonly TypedDataMember[]>

const TYPES_MAX = 64
const MEMBERS_MAX = 64
const IDENTIFIER = /^[A-Za-z_$][\w$]{0,127}$/

/** Members of the domain, in the order of EIP-712. */
const DOMAIN_MEMBERS: readonly TypedDataMember[] = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
  { name: 'salt', type: 'bytes32' },
]
const DOMAIN_TYPE = 'EIP712Domain'

/** @throws {DeniedError} */
export function readTypedData(fields: Fields): TypedData {
  const domain = readDomain(fields.required('domain'))
  const types = readTypes(fields.required('types'), domain)
  const primaryType = primaryTypeOf(types, fields.value('primaryType'))
  const resolver = new TypeResolver(types)
  const type = resolver.struct(primaryType)
  if (!resolver.hasResolvedAll)
    throw new DeniedError(
      'invalid_type',
      'the types include some that the primary type does not use',
    )
  const reader = new ValueReader()
  return {
    domain,
    primaryType,
    encodedType: resolver.encodedType(primaryType),
    types,
    type,
    value: reader.struct(type, fields.required('value'), 'value'),
  }
}

function readDomain(value: unknown): TypedDataDomain {
  const fields = requireFields(value, 'domain')
  fields.requireKnown(DOMAIN_MEMBERS.map(({ name }) => name))
  const read = <Value>(name: string, reader: (given: unknown, path: string) => Value) =>
    fields.value(name) === undefined ? {} : { [name]: reader(fields.value(name), `domain.${name}`) }
  return {
    ...read('name', readText),
    ...read('version', readText),
    ...read('chainId', readChainId),
    ...read('verifyingContract', readAddress),
    ...read('salt', (given, path) => readFixedBytes(given, path, 32)),
  }
}

function readChainId(value: unknown, path: string): bigint {
  const chainId = readInteger(value, path, 0n, BigInt(Number.MAX_SAFE_INTEGER))
  if (chainId === 0n) throw new DeniedError('chain_zero', `${path} is 0`)
  return chainId
}

function readTypes(value: unknown, domain: TypedDataDomain): Types {
  const fields = requireFields(value, 'types')
  if (fields.names.length > TYPES_MAX)
    throw new DeniedError('invalid_type', `more than ${TYPES_MAX} types`)
  const types = new Map<string, readonly TypedDataMember[]>()
  for (const name of fields.names) {
    const members = readMembers(fields.value(name), name)
    if (name === DOMAIN_TYPE) requireDomainType(members, domain)
    else if (!isTypeName(name) || elementaryType(name) !== undefined)
      throw new DeniedError(
        'invalid_type',
        `${JSON.stringify(name.slice(0, 64))} cannot name a type`,
      )
    else types.set(name, members)
  }
  return types
}

/** `__proto__` would change an object instead of its members. Aliases such as `uint` must not become structs. */
const isTypeName = (name: string) =>
  IDENTIFIER.test(name) &&
  name !== '__proto__' &&
  !/^(?:u?int|bytes|byte|function|u?fixed)\d*$/.test(name)

function readMembers(value: unknown, typeName: string): TypedDataMember[] {
  const path = `types.${typeName.slice(0, 64)}`
  if (!Array.isArray(value) || value.length > MEMBERS_MAX)
    throw new DeniedError('invalid_type', `${path} is not a list of at most ${MEMBERS_MAX} members`)
  const members = value.map((each: unknown, index) => {
    const fields = requireFields(each, `${path}[${index}]`)
    fields.requireKnown(['name', 'type'])
    const [name, type] = [fields.value('name'), fields.value('type')]
    if (typeof name !== 'string' || !IDENTIFIER.test(name) || name === '__proto__')
      throw new DeniedError('invalid_type', `${path}[${index}].name is not a valid name`)
    if (typeof type !== 'string' || type.length > 256)
      throw new DeniedError('invalid_type', `${path}[${index}].type is not a type`)
    return { name, type }
  })
  if (new Set(members.map(({ name }) => name)).size !== members.length)
    throw new DeniedError('invalid_type', `${path} has two members of one name`)
  return members
}

/** The library that signs derives the type from the domain, so the given type must be the same. */
function requireDomainType(members: readonly TypedDataMember[], domain: TypedDataDomain): void {
  const expected = DOMAIN_MEMBERS.filter(({ name }) => Object.hasOwn(domain, name))
  const text = (list: readonly TypedDataMember[]) =>
    list.map(({ name, type }) => `${type} ${name}`).join(',')
  if (text(members) !== text(expected))
    throw new DeniedError('invalid_type', `types.${DOMAIN_TYPE} does not describe the domain`)
}

/** Returns the only type that no other type uses. Other types of that kind would be ignored when signing. */
function primaryTypeOf(types: Types, given: unknown): string {
  const used = new Set(
    [...types].flatMap(([owner, members]) =>
      members.map(({ type }) => baseOf(type)).filter((base) => base !== owner),
    ),
  )
  const roots = [...types.keys()].filter((name) => !used.has(name))
  const [root] = roots
  if (root === undefined || roots.length > 1)
    throw new DeniedError(
      'invalid_type',
      `the types have ${roots.length} primary types instead of one`,
    )
  if (given !== undefined && given !== root)
    throw new DeniedError('invalid_type', `primaryType is not ${root}, which the types lead to`)
  return root
}

const baseOf = (type: string) => /^[^[]*/.exec(type)![0]

class TypeResolver {
  readonly #types: Types
  readonly #structs = new Map<string, AbiTuple>()
  /** Number of paths from each resolved struct to the structs that it refers to. */
  readonly #paths = new Map<string, number>()
  readonly #open = new Set<string>()

  constructor(types: Types) {
    this.#types = types
  }

  struct(name: string): AbiTuple {
    const known = this.#structs.get(name)
    if (known) return known
    const members = this.#types.get(name)
    if (!members) throw new DeniedError('unknown_type', `the type ${name} is not defined`)
    if (this.#open.has(name) || this.#open.size === TYPE_DEPTH_MAX)
      throw new DeniedError(
        'invalid_type',
        `the type ${name} contains itself, or is nested deeper than ${TYPE_DEPTH_MAX}`,
      )
    this.#open.add(name)
    const struct: AbiTuple = {
      kind: 'tuple',
      members: members.map((member) => ({ name: member.name, type: this.#type(member.type) })),
    }
    this.#open.delete(name)
    this.#paths.set(name, this.#countPaths(members))
    this.#structs.set(name, struct)
    return struct
  }

  #countPaths(members: readonly TypedDataMember[]): number {
    const bases = new Set(members.map((member) => baseOf(member.type)))
    const paths = [...bases].reduce((sum, base) => sum + (this.#paths.get(base) ?? 0), 1)
    if (paths > TYPED_DATA_PATHS_MAX)
      throw new DeniedError(
        'invalid_type',
        `the types refer to each other in more than ${TYPED_DATA_PATHS_MAX} ways`,
      )
    return paths
  }

  get hasResolvedAll(): boolean {
    return this.#structs.size === this.#types.size
  }

  /** `encodeType` of EIP-712. All types must have been resolved. */
  encodedType(primary: string): string {
    const others = [...this.#structs.keys()].filter((name) => name !== primary).toSorted()
    return [primary, ...others]
      .map((name) => {
        const members = this.#types.get(name)!
        return `${name}(${members.map((member) => `${member.type} ${member.name}`).join(',')})`
      })
      .join('')
  }

  #type(text: string): AbiType {
    const base = baseOf(text)
    const suffixes = text.slice(base.length)
    if (!/^(?:\[(?:[1-9][0-9]{0,3})?\]){0,4}$/.test(suffixes))
      throw new DeniedError('unknown_type', `the type ${JSON.stringify(text)} is not supported`)
    let type = elementaryType(base) ?? this.struct(base)
    for (const [, length] of suffixes.matchAll(/\[(\d*)\]/g))
      type = { kind: 'array', of: type, length: length === '' ? null : Number(length) }
    return type
  }
}

class ValueReader {
  #left = SIGNED_DATA_MAX_BYTES

  struct(type: AbiTuple, value: unknown, path: string): AbiValue[] {
    const fields = requireFields(value, path)
    const names = type.members.map(({ name }) => name)
    const extra = fields.names.find((name) => !names.includes(name))
    if (extra !== undefined)
      throw new DeniedError(
        'extra_field',
        `${path} has the field ${JSON.stringify(extra.slice(0, 64))}, which its type does not have`,
      )
    return type.members.map((member) =>
      this.#value(member.type, fields.required(member.name), `${path}.${member.name}`),
    )
  }

  #value(type: AbiType, value: unknown, path: string): AbiValue {
    this.#count(1, path)
    switch (type.kind) {
      case 'tuple':
        return this.struct(type, value, path)
      case 'array': {
        if (!Array.isArray(value) || (type.length !== null && value.length !== type.length))
          throw new DeniedError('invalid_type', `${path} is not an array of the type's length`)
        return Array.from({ length: value.length }, (_, index) =>
          this.#value(type.of, value[index], `${path}[${index}]`),
        )
      }
      case 'address':
        return readAddress(value, path)
      case 'bool':
        if (typeof value !== 'boolean')
          throw new DeniedError('invalid_type', `${path} is not true or false`)
        return value
      case 'uint':
        return readRanged(value, path, 0n, 2n ** BigInt(type.bits) - 1n)
      case 'int': {
        const half = 2n ** BigInt(type.bits - 1)
        return readRanged(value, path, -half, half - 1n)
      }
      case 'fixed_bytes':
        return readFixedBytes(value, path, type.bytes)
      case 'bytes':
        return this.#counted(readBytes(value, path), path)
      case 'string':
        return this.#counted(readText(value, path), path)
    }
  }

  #counted(text: string, path: string): string {
    this.#count(text.length, path)
    return text
  }

  #count(size: number, path: string): void {
    this.#left -= size
    if (this.#left < 0)
      throw new DeniedError(
        'data_too_long',
        `the typed data is longer than ${SIGNED_DATA_MAX_BYTES} bytes, at ${path}`,
      )
  }
}

function readRanged(value: unknown, path: string, min: bigint, max: bigint): bigint {
  const number = readInteger(value, path, -(2n ** 255n))
  if (number < min || number > max)
    throw new DeniedError('number_out_of_range', `${path} does not fit its type`)
  return number
}

function readFixedBytes(value: unknown, path: string, length: number): string {
  const bytes = readBytes(value, path)
  if (bytes.length !== 2 + 2 * length)
    throw new DeniedError('invalid_hex', `${path} is not ${length} bytes`)
  return bytes
}

function readText(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new DeniedError('invalid_type', `${path} is not a text`)
  if (!value.isWellFormed())
    throw new DeniedError('invalid_text', `${path} has a lone surrogate, which UTF-8 cannot encode`)
  return value
}

/** Parses the text of `encodeType` into a tuple, to which a rule's conditions refer. @throws {Error} */
export function parseEncodedType(text: string): { primaryType: string; type: AbiTuple } {
  const types = new Map<string, TypedDataMember[]>()
  let rest = text
  while (rest !== '') {
    const [all, name, list] = /^([A-Za-z_$][\w$]*)\(([^()]*)\)/.exec(rest) ?? []
    if (all === undefined || !isTypeName(name!) || types.has(name!))
      throw new Error('not an encoded type such as Permit(address owner,uint256 value)')
    const members = list === '' ? [] : list!.split(',').map(memberOf)
    types.set(name!, members)
    rest = rest.slice(all.length)
  }
  const [primaryType] = types.keys()
  if (primaryType === undefined) throw new Error('the type is empty')
  const resolver = new TypeResolver(types)
  let type
  try {
    type = resolver.struct(primaryType)
  } catch (error) {
    throw error instanceof DeniedError ? new Error(error.message) : error
  }
  const encoded = resolver.encodedType(primaryType)
  if (encoded !== text)
    throw new Error(`not in the form of EIP-712; write ${encoded.slice(0, 500)}`)
  return { primaryType, type }
}

function memberOf(text: string): TypedDataMember {
  const [, type, name] = /^([^ ]+) ([A-Za-z_$][\w$]*)$/.exec(text) ?? []
  if (type === undefined || name === undefined)
    throw new Error('write each member as its type, one space and its name, without other spaces')
  return { name, type }
}
