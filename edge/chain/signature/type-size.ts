import type { AbiType } from './event-signature.ts'

/** Returns true if a type is dynamic, so that the head of its ABI encoding contains an offset instead of the value. */
export function isDynamic(type: AbiType): boolean {
  switch (type.kind) {
    case 'string':
    case 'bytes':
      return true
    case 'array':
      return type.length === null || isDynamic(type.of)
    case 'tuple':
      return type.members.some(isDynamic)
    case 'address':
    case 'bool':
    case 'uint':
    case 'int':
    case 'fixed_bytes':
      return false
  }
}

/**
 * Returns true if the topic of an indexed argument of this type is a hash of the value (Solidity ABI specification,
 * "Encoding of Indexed Event Parameters").
 */
export function isHashedInTopic(type: AbiType): boolean {
  return (
    type.kind === 'string' ||
    type.kind === 'bytes' ||
    type.kind === 'array' ||
    type.kind === 'tuple'
  )
}

/** The offset of a dynamic value takes one word. */
export function headWords(type: AbiType): number {
  return isDynamic(type) ? 1 : minWords(type)
}

/** Returns the minimum number of 32-byte words in the encoding of a value, without the offset of a dynamic value. */
export function minWords(type: AbiType): number {
  if (type.kind === 'tuple')
    return type.members.reduce((sum, member) => sum + wordsWithOffset(member), 0)
  if (type.kind === 'array')
    return type.length === null ? 1 : type.length * wordsWithOffset(type.of)
  return 1
}

const wordsWithOffset = (type: AbiType) => minWords(type) + (isDynamic(type) ? 1 : 0)
