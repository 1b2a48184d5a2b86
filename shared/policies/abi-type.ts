/**
 * Types of values that policies check. Calldata and EIP-712 messages have the same types; a struct is a tuple. A tuple
 * or array has a list as its value, an integer a bigint, and an address or bytes lower-case 0x hex.
 */
import type { ParamType } from 'ethers'

export type AbiType =
  | { kind: 'address' | 'bool' | 'string' | 'bytes' }
  | { kind: 'uint' | 'int'; bits: number }
  | { kind: 'fixed_bytes'; bytes: number }
  /** A `length` of null means that the array is dynamic. */
  | { kind: 'array'; of: AbiType; length: number | null }
  /** `encodedType` is `encodeType` of EIP-712, for a struct of typed data. */
  | { kind: 'tuple'; members: readonly AbiMember[]; encodedType?: string }

export type AbiMember = { name: string; type: AbiType }

export type AbiTuple = Extract<AbiType, { kind: 'tuple' }>

export type AbiValue = bigint | boolean | string | readonly AbiValue[]

/** Contracts use two or three levels. */
export const TYPE_DEPTH_MAX = 8

/** Returns the type with this name, or undefined for unknown names, aliases such as `uint`, and impossible sizes. */
export function elementaryType(name: string): AbiType | undefined {
  if (name === 'address' || name === 'bool' || name === 'string' || name === 'bytes')
    return { kind: name }
  const [, family, digits] = /^(uint|int|bytes)([1-9][0-9]{0,2})$/.exec(name) ?? []
  const size = Number(digits)
  if (family === 'bytes') return size <= 32 ? { kind: 'fixed_bytes', bytes: size } : undefined
  if (family !== 'uint' && family !== 'int') return undefined
  return size % 8 === 0 && size <= 256 ? { kind: family, bits: size } : undefined
}

export function fitsInteger(type: { kind: 'uint' | 'int'; bits: number }, number: bigint): boolean {
  const { kind, bits } = type
  return number === (kind === 'uint' ? BigInt.asUintN(bits, number) : BigInt.asIntN(bits, number))
}

export function typeName(type: AbiType): string {
  switch (type.kind) {
    case 'uint':
    case 'int':
      return `${type.kind}${type.bits}`
    case 'fixed_bytes':
      return `bytes${type.bytes}`
    case 'array':
      return 'an array'
    case 'tuple':
      return 'a tuple'
    case 'address':
    case 'bool':
    case 'string':
    case 'bytes':
      return type.kind
  }
}

/** @throws {Error} for types that no contract has: without a value, or nested too deeply */
export function typeOfParameter(parameter: ParamType, depth = 0): AbiType {
  if (depth > TYPE_DEPTH_MAX) throw new Error(`types are nested deeper than ${TYPE_DEPTH_MAX}`)
  if (parameter.isArray()) {
    const length = parameter.arrayLength
    if (length === 0) throw new Error('an array of length 0 has no values')
    const of = typeOfParameter(parameter.arrayChildren, depth + 1)
    return { kind: 'array', of, length: length === -1 ? null : length }
  }
  if (parameter.isTuple()) return tupleOf(parameter.components, depth + 1)
  const type = elementaryType(parameter.type)
  if (!type) throw new Error(`the type ${parameter.type} is not supported`)
  return type
}

/** @throws {Error} if the tuple is empty, or two members have the same name */
function tupleOf(parameters: readonly ParamType[], depth: number): AbiTuple {
  if (parameters.length === 0) throw new Error('a tuple without members has no values')
  return argumentsOf(parameters, depth)
}

/** Returns the arguments of a function as a tuple, which may be empty. @throws {Error} */
export function argumentsOf(parameters: readonly ParamType[], depth = 0): AbiTuple {
  const members = parameters.map((parameter) => ({
    name: parameter.name,
    type: typeOfParameter(parameter, depth),
  }))
  const names = members.map(({ name }) => name).filter((name) => name !== '')
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) throw new Error(`two arguments have the name ${twice}`)
  return { kind: 'tuple', members }
}

/** Returns true if the head of the type's encoding contains an offset instead of the value. */
export function isDynamic(type: AbiType): boolean {
  if (type.kind === 'array') return type.length === null || isDynamic(type.of)
  if (type.kind === 'tuple') return type.members.some((member) => isDynamic(member.type))
  return type.kind === 'string' || type.kind === 'bytes'
}

/** Returns the number of 32-byte words that the type takes in the head of an encoding. */
export function headWords(type: AbiType): number {
  return isDynamic(type) ? 1 : staticWords(type)
}

function staticWords(type: AbiType): number {
  if (type.kind === 'tuple')
    return type.members.reduce((sum, member) => sum + staticWords(member.type), 0)
  if (type.kind === 'array') return (type.length ?? 0) * staticWords(type.of)
  return 1
}
