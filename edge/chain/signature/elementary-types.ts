import type { AbiType } from './event-signature.ts'

type ElementaryType = { type: AbiType; canonical: string } | { problem: string; fix: string }

const TYPES = new Map<string, AbiType>([
  ['address', { kind: 'address' }],
  ['bool', { kind: 'bool' }],
  ['string', { kind: 'string' }],
  ['bytes', { kind: 'bytes' }],
  // A `function` value is a 20-byte address followed by a 4-byte selector.
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

/**
 * Returns the ABI type with the given name, or the problem with the name (Solidity ABI specification, "Types"). Equal
 * types are the same object.
 */
export function elementaryType(name: string): ElementaryType {
  const canonical = ALIASES.get(name) ?? name
  const type = TYPES.get(canonical)
  if (type) return { type, canonical }
  const [, family] = /^(u?int|bytes)\d+$/.exec(name) ?? []
  if (family === undefined) return unknownType(name)
  return {
    problem: `unknown type ${name.slice(0, 64)}`,
    fix:
      family === 'bytes'
        ? 'write bytes1 to bytes32, or bytes for any length'
        : `write ${family}8 to ${family}256, in steps of 8`,
  }
}

function unknownType(name: string): ElementaryType {
  if (/^u?fixed(\d+x\d+)?$/.test(name))
    return {
      problem: `no compiler supports ${name} in an event`,
      fix: 'write the type of the contract’s ABI, such as uint256',
    }
  if (name === 'mapping')
    return { problem: 'an event cannot contain a mapping', fix: 'write the type that is emitted' }
  if (name === 'indexed')
    return {
      problem: '"indexed" must follow the type',
      fix: 'write, for example, address indexed from',
    }
  if (name === 'struct')
    return {
      problem: '"struct" is not an ABI type',
      fix: 'write its members, such as (address,uint256)',
    }
  if (name === 'enum') return { problem: '"enum" is not an ABI type', fix: 'write uint8' }
  if (name === 'contract' || name === 'interface')
    return { problem: `"${name}" is not an ABI type`, fix: 'write address' }
  return {
    problem: `${name.slice(0, 64)} is not an ABI type`,
    fix: 'write address for a contract, uint8 for an enum, or the members, such as (address,uint256), for a struct',
  }
}
