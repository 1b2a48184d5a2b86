import type { AbiType } from './event-signature.ts'

export type NamedType = { type: AbiType; canonical: string } | { problem: string; fix: string }

const TYPES = new Map<string, AbiType>([
  ['address', { kind: 'address' }],
  ['bool', { kind: 'bool' }],
  ['string', { kind: 'string' }],
  ['bytes', { kind: 'bytes' }],
  // A 20-byte address and a 4-byte selector.
  ['function', { kind: 'fixed_bytes', bytes: 24 }],
  ...Array.from({ length: 32 }, (_, before): [string, AbiType][] => {
    const bytes = before + 1
    const bits = bytes * 8
    return [
      [`uint${bits}`, { kind: 'uint', bits }],
      [`int${bits}`, { kind: 'int', bits }],
      [`bytes${bytes}`, { kind: 'fixed_bytes', bytes }],
    ]
  }).flat(),
])

const ALIASES = new Map([
  ['uint', 'uint256'],
  ['int', 'int256'],
  ['byte', 'bytes1'],
])

/** Looks up an elementary type (Solidity ABI specification, Types). Equal types are the same object. */
export function elementaryType(name: string): NamedType {
  const canonical = ALIASES.get(name) ?? name
  const type = TYPES.get(canonical)
  if (type) return { type, canonical }
  const [, family] = /^(u?int|bytes)\d+$/.exec(name) ?? []
  if (family === undefined) return unknownType(name)
  return {
    problem: `there is no type ${name.slice(0, 64)}`,
    fix:
      family === 'bytes'
        ? 'write bytes1 to bytes32, or bytes for any length'
        : `write ${family}8 to ${family}256, in steps of 8`,
  }
}

function unknownType(name: string): NamedType {
  if (/^u?fixed(\d+x\d+)?$/.test(name))
    return {
      problem: `${name} is a type that no compiler can put into an event`,
      fix: 'write the type of the contract’s ABI, such as uint256',
    }
  if (name === 'mapping')
    return { problem: 'a mapping can not be in an event', fix: 'write the type that is emitted' }
  if (name === 'indexed')
    return {
      problem: '"indexed" stands behind its type',
      fix: 'write it like address indexed from',
    }
  if (name === 'struct')
    return { problem: 'a struct has no name here', fix: 'write its members: (address,uint256)' }
  if (name === 'enum') return { problem: 'an enum has no name here', fix: 'write uint8' }
  if (name === 'contract' || name === 'interface')
    return { problem: `a ${name} has no name here`, fix: 'write address' }
  return {
    problem: `${name.slice(0, 64)} is no type of the ABI`,
    fix: 'write address for a contract, uint8 for an enum, the members as (address,uint256) for a struct',
  }
}
