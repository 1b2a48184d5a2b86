import type { AbiType } from './event-signature.ts'

/** Returns true if the head of an encoding holds an offset to the value instead of the value itself. */
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

/** Returns true if a topic holds the value's hash (Solidity ABI, Encoding of Indexed Event Parameters). */
export function isHashedInTopic(type: AbiType): boolean {
  return (
    type.kind === 'string' ||
    type.kind === 'bytes' ||
    type.kind === 'array' ||
    type.kind === 'tuple'
  )
}

/** Number of words in the head of an encoding. An offset takes one. */
export function headWords(type: AbiType): number {
  return isDynamic(type) ? 1 : leastWords(type)
}

/** Minimum number of words that any value of this type needs, not counting its own offset. */
export function leastWords(type: AbiType): number {
  if (type.kind === 'tuple') return type.members.reduce((sum, member) => sum + placed(member), 0)
  if (type.kind === 'array') return type.length === null ? 1 : type.length * placed(type.of)
  return 1
}

const placed = (type: AbiType) => leastWords(type) + (isDynamic(type) ? 1 : 0)
