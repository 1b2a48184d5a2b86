import type { AbiType } from './event-signature.ts'

/** Whether its place in an encoding holds an offset to it, and not the value itself. */
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

/** Whether a topic holds the hash of a value and not the value (Solidity ABI specification, Encoding of indexed parameters). */
export function isHashedInTopic(type: AbiType): boolean {
  return (
    type.kind === 'string' ||
    type.kind === 'bytes' ||
    type.kind === 'array' ||
    type.kind === 'tuple'
  )
}

/** Words that it takes at its place: an offset is one. */
export function headWords(type: AbiType): number {
  return isDynamic(type) ? 1 : leastWords(type)
}

/** The fewest words that any value of it has, wherever they are; its offset not counted. */
export function leastWords(type: AbiType): number {
  if (type.kind === 'tuple') return type.members.reduce((sum, member) => sum + placed(member), 0)
  if (type.kind === 'array') return type.length === null ? 1 : type.length * placed(type.of)
  return 1
}

const placed = (type: AbiType) => leastWords(type) + (isDynamic(type) ? 1 : 0)
