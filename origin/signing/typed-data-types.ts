import { TYPED_DATA_PATHS_MAX } from '../../shared/limits.ts'
import { readList, readMembers, readText, SigningInputError } from './fields.ts'

export type TypedDataField = { name: string; type: string }
/** Fields of each struct type, by its name. */
export type StructTypes = ReadonlyMap<string, TypedDataField[]>

/** Real typed data has at most about ten struct types. */
const STRUCT_TYPES_MAX = 32

/** Total length of the names and types. Every struct type is hashed together with all types that it refers to. */
const TYPES_MAX_CHARACTERS = 4 * 1024

/** A more permissive pattern would allow one type's encoding to imitate another's. */
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/
const ARRAYS = /^([^[]*)((?:\[(?:[1-9][0-9]{0,5})?\]){0,8})$/
const ATOMIC =
  /^(?:address|bool|string|bytes(?:[1-9]|[12][0-9]|3[0-2])?|u?int(?:8|16|24|32|40|48|56|64|72|80|88|96|104|112|120|128|136|144|152|160|168|176|184|192|200|208|216|224|232|240|248|256))$/
/** Names that are, or look like, a type of the standard. */
const RESERVED = /^(?:address|bool|string|bytes[0-9]*|u?int[0-9]*|EIP712Domain)$/

export function isAtomic(type: string): boolean {
  return ATOMIC.test(type)
}

/** @throws {SigningInputError} unless the types are finite and belong to one primary type */
export function readStructTypes(value: unknown): { types: StructTypes; primaryType: string } {
  const types = new Map<string, TypedDataField[]>()
  const entries = Object.entries(readMembers(value, 'types'))
  if (entries.length === 0) throw new SigningInputError('types: expected at least one struct type')
  if (entries.length > STRUCT_TYPES_MAX)
    throw new SigningInputError(
      `types: has ${entries.length} struct types; the limit is ${STRUCT_TYPES_MAX}`,
    )
  let characters = 0
  for (const [name, fields] of entries) {
    const path = `types.${name.slice(0, 64)}`
    if (name === 'EIP712Domain')
      throw new SigningInputError(`${path}: leave it out; it is derived from the domain`)
    if (RESERVED.test(name)) throw new SigningInputError(`${path}: the name is reserved; rename it`)
    requireIdentifier(name, path)
    characters += name.length
    const read = readList(fields, path).map((field, at) => readField(field, `${path}[${at}]`))
    for (const field of read) characters += field.name.length + field.type.length
    if (new Set(read.map((field) => field.name)).size < read.length)
      throw new SigningInputError(`${path}: two fields have the same name`)
    types.set(name, read)
  }
  if (characters > TYPES_MAX_CHARACTERS)
    throw new SigningInputError(
      `types: the names and types have ${characters} characters; the limit is ${TYPES_MAX_CHARACTERS}`,
    )
  const links = structLinks(types)
  requireFinite(links)
  return { types, primaryType: primaryTypeOf(links) }
}

function readField(value: unknown, path: string): TypedDataField {
  const members = readMembers(value, path)
  for (const key of Object.keys(members))
    if (key !== 'name' && key !== 'type')
      throw new SigningInputError(`${path}: expected only the members name and type`)
  const name = readText(members.name, `${path}.name`)
  const type = readText(members.type, `${path}.type`)
  requireIdentifier(name, `${path}.name`)
  return { name, type }
}

function requireIdentifier(name: string, path: string): void {
  if (!IDENTIFIER.test(name) || name === '__proto__')
    throw new SigningInputError(`${path}: expected a name of letters, digits, _ and $`)
}

/** Returns the struct types to which each struct type refers directly. */
function structLinks(types: StructTypes): Map<string, Set<string>> {
  const links = new Map<string, Set<string>>()
  for (const [name, fields] of types) {
    const found = new Set<string>()
    for (const [at, { type }] of fields.entries()) {
      const [, base = ''] = ARRAYS.exec(type) ?? []
      if (types.has(base)) found.add(base)
      else if (!isAtomic(base))
        throw new SigningInputError(`types.${name}[${at}].type: ${unknownType(base)}`)
    }
    links.set(name, found)
  }
  return links
}

function unknownType(base: string): string {
  if (base === 'uint' || base === 'int') return `EIP-712 has no ${base}; use ${base}256`
  return 'expected a type of EIP-712 or a struct type, with at most eight array dimensions'
}

function requireFinite(links: Map<string, Set<string>>): void {
  let paths = 0
  const follow = (name: string, above: readonly string[]) => {
    if (above.includes(name))
      throw new SigningInputError(
        `types.${name}: contains itself; recursive types cannot be signed`,
      )
    if (++paths > TYPED_DATA_PATHS_MAX)
      throw new SigningInputError(
        `types: refer to each other in more than ${TYPED_DATA_PATHS_MAX} ways; use fewer or flatter struct types`,
      )
    for (const child of links.get(name) ?? []) follow(child, [...above, name])
  }
  for (const name of links.keys()) follow(name, [])
}

/** Returns the only type to which no other type refers. */
function primaryTypeOf(links: Map<string, Set<string>>): string {
  const used = new Set([...links.values()].flatMap((children) => [...children]))
  const [primary = '', ...others] = [...links.keys()].filter((name) => !used.has(name))
  if (others.length > 0)
    throw new SigningInputError(
      `types: expected one primary type, found ${[primary, ...others].join(', ')}; remove the types that are not used`,
    )
  return primary
}
