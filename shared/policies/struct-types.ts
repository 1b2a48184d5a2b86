/** Reads the struct types of typed data (EIP-712). */
import { type AbiTuple, type AbiType, elementaryType } from './abi-type.ts'
import { DeniedError } from './denial.ts'
import { quoted, readList, readText, requireFields } from './fields.ts'

/**
 * A struct type. `encodedType` is `encodeType` of EIP-712: the type and all types that it refers to, with their
 * members.
 */
export type StructType = AbiTuple & { encodedType: string }

/** Members of each struct type, by its name. */
type Declared = ReadonlyMap<string, readonly Member[]>
type Member = { name: string; type: string }

/** Real typed data has at most about ten struct types. */
const STRUCT_TYPES_MAX = 32
/** Maximum total length of names and types. Each struct type is hashed together with all types that it refers to. */
const TYPES_MAX_CHARACTERS = 4 * 1024
/**
 * Maximum number of paths between struct types. It can grow exponentially, and libraries such as ethers follow each.
 */
const PATHS_MAX = 1_024

/** A more permissive pattern would allow one type's encoding to imitate another's. */
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/
/** Names that are, or look like, elementary types. */
const RESERVED = /^(?:address|bool|string|bytes[0-9]*|u?int[0-9]*)$/
const TYPE = /^([^[]*)((?:\[(?:[1-9][0-9]{0,5})?\]){0,8})$/

export const DOMAIN_TYPE = 'EIP712Domain'

/**
 * Reads the `types` of typed data, and returns the primary type.
 * @param domainType encoded type of the domain, which `types` may include. If undefined, `types` must not include one
 * @throws {DeniedError} if types are recursive, or do not all belong to one primary type
 */
export function readStructTypes(
  value: unknown,
  domainType: string | undefined,
): { primaryType: string; type: StructType } {
  const fields = requireFields(value, 'types')
  const declared = new Map<string, readonly Member[]>()
  let characters = 0
  for (const name of fields.names) {
    const path = `types.${IDENTIFIER.test(name) ? name.slice(0, 64) : quoted(name)}`
    const members = readMembers(fields.value(name), path)
    if (name === DOMAIN_TYPE && encodeType(name, members) === domainType) continue
    requireTypeName(name, path)
    declared.set(name, members)
    for (const member of members) characters += member.name.length + member.type.length
    characters += name.length
  }
  if (declared.size === 0) throw invalid('types: expected at least one struct type')
  requireAtMost(declared.size, STRUCT_TYPES_MAX, 'types: has', 'struct types')
  requireAtMost(characters, TYPES_MAX_CHARACTERS, 'types: the names and types have', 'characters')
  return primaryTypeOf(declared)
}

function requireAtMost(count: number, max: number, has: string, things: string): void {
  if (count > max) throw invalid(`${has} ${count} ${things}; the limit is ${max}`)
}

const invalid = (problem: string) => new DeniedError('invalid_type', problem)

function readMembers(value: unknown, path: string): Member[] {
  const members = readList(value, path, 'invalid_type').map((each, index) => {
    const at = `${path}[${index}]`
    const fields = requireFields(each, at)
    fields.requireKnown(['name', 'type'])
    const name = fields.value('name')
    requireIdentifier(name, `${at}.name`)
    return { name, type: readText(fields.value('type'), `${at}.type`) }
  })
  if (new Set(members.map(({ name }) => name)).size < members.length)
    throw invalid(`${path}: two fields have the same name`)
  return members
}

function requireTypeName(name: string, path: string): void {
  if (name === DOMAIN_TYPE) throw invalid(`${path}: leave it out; it is derived from the domain`)
  if (RESERVED.test(name)) throw invalid(`${path}: the name is reserved; rename it`)
  requireIdentifier(name, path)
}

/** Rejects `__proto__`, because assigning it would set an object's prototype. */
function requireIdentifier(name: unknown, path: string): asserts name is string {
  if (typeof name !== 'string' || !IDENTIFIER.test(name) || name === '__proto__')
    throw invalid(`${path}: expected a name of letters, digits, _ and $`)
}

/** Finds the only type to which no other type refers. A second such type would not be part of the signature. */
function primaryTypeOf(declared: Declared): { primaryType: string; type: StructType } {
  const resolver = new TypeResolver(declared)
  const structs = [...declared.keys()].map((name) => resolver.struct(name))
  const used = new Set(structs.flatMap(({ uses }) => [...uses]))
  const [primary, ...others] = structs.filter(({ name }) => !used.has(name))
  if (others.length > 0)
    throw invalid(
      `types: expected one primary type, found ${[primary!, ...others].map(({ name }) => name).join(', ')}; remove the types that are not used`,
    )
  return { primaryType: primary!.name, type: primary!.type }
}

type Resolved = {
  name: string
  type: StructType
  /** Names of the struct types to which this one refers, directly or indirectly. */
  uses: ReadonlySet<string>
  /** Number of paths that start at this type. */
  paths: number
}

class TypeResolver {
  readonly #declared: Declared
  /** The value is undefined while the members of the type are being resolved. */
  readonly #resolved = new Map<string, Resolved | undefined>()
  #paths = 0

  constructor(declared: Declared) {
    this.#declared = declared
  }

  struct(name: string): Resolved {
    const known = this.#resolved.get(name)
    if (known) return known
    if (this.#resolved.has(name))
      throw invalid(`types.${name}: contains itself; recursive types cannot be signed`)
    this.#resolved.set(name, undefined)
    const direct = new Set<Resolved>()
    const members = this.#declared.get(name)!.map((member, index) => ({
      name: member.name,
      type: this.#type(member.type, direct, `types.${name}[${index}].type`),
    }))
    const paths = 1 + [...direct].reduce((sum, each) => sum + each.paths, 0)
    this.#paths += paths
    if (this.#paths > PATHS_MAX)
      throw invalid(
        `types: refer to each other in more than ${PATHS_MAX} ways; use fewer or flatter struct types`,
      )
    const uses = new Set([...direct].flatMap((each) => [each.name, ...each.uses]))
    const encodedType = [name, ...[...uses].toSorted()]
      .map((each) => encodeType(each, this.#declared.get(each)!))
      .join('')
    const resolved = { name, type: { kind: 'tuple', members, encodedType }, uses, paths } as const
    this.#resolved.set(name, resolved)
    return resolved
  }

  #type(text: string, direct: Set<Resolved>, path: string): AbiType {
    const [, base = '', suffixes = ''] = TYPE.exec(text) ?? []
    let type = elementaryType(base)
    if (this.#declared.has(base)) {
      const struct = this.struct(base)
      direct.add(struct)
      type = struct.type
    }
    if (!type) throw new DeniedError('unknown_type', `${path}: ${unknownType(base)}`)
    for (const [, length] of suffixes.matchAll(/\[(\d*)\]/g))
      type = { kind: 'array', of: type, length: length === '' ? null : Number(length) }
    return type
  }
}

function unknownType(base: string): string {
  if (base === 'uint' || base === 'int') return `EIP-712 has no ${base}; use ${base}256`
  return 'expected a type of EIP-712 or a struct type, with at most eight array dimensions'
}

/** Encodes one type, without the types that it refers to. */
export function encodeType(name: string, members: readonly Member[]): string {
  return `${name}(${members.map((member) => `${member.type} ${member.name}`).join(',')})`
}

/** Parses the text of `encodeType` into a tuple, to which a rule's conditions refer. @throws {Error} */
export function parseEncodedType(text: string): StructType {
  const declared = new Map<string, Member[]>()
  let rest = text
  while (rest !== '') {
    const [all, name, list] = /^([A-Za-z_$][\w$]*)\(([^()]*)\)/.exec(rest) ?? []
    if (all === undefined || declared.has(name!))
      throw new Error('not an encoded type such as Permit(address owner,uint256 value)')
    requireTypeName(name!, name!)
    declared.set(name!, list === '' ? [] : list!.split(',').map(memberOf))
    rest = rest.slice(all.length)
  }
  const [primaryType] = declared.keys()
  if (primaryType === undefined) throw new Error('the type is empty')
  const { type } = new TypeResolver(declared).struct(primaryType)
  if (type.encodedType !== text)
    throw new Error(`not in the form of EIP-712; write ${type.encodedType.slice(0, 500)}`)
  return type
}

function memberOf(text: string): Member {
  const [, type, name] = /^([^ ]+) ([A-Za-z_$][\w$]*)$/.exec(text) ?? []
  if (type === undefined || name === undefined)
    throw new Error('write each member as its type, one space and its name, without other spaces')
  return { name, type }
}
