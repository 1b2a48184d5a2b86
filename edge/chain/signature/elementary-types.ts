import type { AbiType } from './event-signature.ts'

/** A type by its name: read, with its canonical name, or refused with what to write instead. */
export type NamedType = { type: AbiType; canonical: string } | { problem: string; fix: string }

/** Types of one word, and texts and bytes (Solidity ABI specification, Types). */
export function elementaryType(name: string): NamedType {
  const canonical = ALIASES[name] ?? name
  const plain = PLAIN[canonical]
  if (plain) return { type: plain, canonical }

  const [, family, digits] = /^(uint|int|bytes)(\d+)$/.exec(canonical) ?? []
  if (family === undefined || digits === undefined) return unknownType(name)
  const size = Number(digits)
  const isPlainNumber = String(size) === digits
  if (family === 'bytes')
    return isPlainNumber && size >= 1 && size <= 32
      ? { type: { kind: 'fixed_bytes', bytes: size }, canonical }
      : {
          problem: `there is no type ${name}`,
          fix: 'write bytes1 to bytes32, or bytes for any length',
        }
  return isPlainNumber && size >= 8 && size <= 256 && size % 8 === 0
    ? { type: { kind: family as 'uint' | 'int', bits: size }, canonical }
    : {
        problem: `there is no type ${name}`,
        fix: `write ${family}8 to ${family}256, in steps of 8`,
      }
}

// Null prototypes: names come from outside, and `constructor` is none of these.
const ALIASES: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  uint: 'uint256',
  int: 'int256',
  byte: 'bytes1',
})

const PLAIN: Readonly<Record<string, AbiType>> = Object.assign(Object.create(null), {
  address: { kind: 'address' },
  bool: { kind: 'bool' },
  string: { kind: 'string' },
  bytes: { kind: 'bytes' },
  // An address and a selector.
  function: { kind: 'fixed_bytes', bytes: 24 },
})

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
