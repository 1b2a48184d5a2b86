import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeHex } from '../../../shared/encoding/hex.ts'
import type { AbiType } from '../signature/event-signature.ts'

/** Types of arguments that conditions can compare. */
export type ComparableType = Exclude<AbiType, { kind: 'bytes' | 'array' | 'tuple' }>

export function isComparable(type: AbiType): type is ComparableType {
  return type.kind !== 'bytes' && type.kind !== 'array' && type.kind !== 'tuple'
}

/** Returns a value as the text with which decoded values are compared. */
export function readValue(
  value: unknown,
  type: ComparableType,
): string | { problem: string; fix: string } {
  const wrong = (problem: string) => ({
    problem,
    fix: `Send a value such as "${exampleOf(type)}".`,
  })
  switch (type.kind) {
    case 'uint':
    case 'int': {
      const text = Number.isSafeInteger(value) ? String(value) : value
      if (typeof text !== 'string' || !/^(0|-?[1-9][0-9]{0,77})$/.test(text))
        return wrong('expected an integer as a string of decimal digits')
      return fitsIn(BigInt(text), type) ? text : wrong(`out of range for ${type.kind}${type.bits}`)
    }
    case 'address':
      return typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)
        ? value.toLowerCase()
        : wrong('expected 0x followed by 40 hex digits')
    case 'bool':
      return value === true || value === false || value === 'true' || value === 'false'
        ? String(value)
        : wrong('expected true or false')
    case 'fixed_bytes':
      return typeof value === 'string' &&
        value.length === 2 + type.bytes * 2 &&
        /^0x[0-9a-fA-F]+$/.test(value)
        ? value.toLowerCase()
        : wrong(`expected 0x followed by ${type.bytes * 2} hex digits`)
    case 'string':
      return typeof value === 'string' ? value : wrong('expected a string')
  }
}

function fitsIn(value: bigint, { kind, bits }: { kind: 'uint' | 'int'; bits: number }): boolean {
  return (kind === 'uint' ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value)) === value
}

export function exampleOf(type: ComparableType): string {
  switch (type.kind) {
    case 'address':
      return '0xdAC17F958D2ee523a2206206994597C13D831ec7'
    case 'bool':
      return 'true'
    case 'fixed_bytes':
      return `0x${'ab'.repeat(type.bytes)}`
    case 'string':
      return 'text'
    case 'uint':
    case 'int':
      return '1000000'
  }
}

/** @param value as `readValue` returns it */
export function topicOf(value: string, type: ComparableType): string {
  switch (type.kind) {
    case 'fixed_bytes':
      return value.padEnd(66, '0')
    case 'string':
      return hashOfText(value)
    case 'bool':
      return wordOf(value === 'true' ? 1n : 0n)
    case 'address':
    case 'uint':
    case 'int':
      return wordOf(BigInt(value))
  }
}

/** Returns the topic of an indexed string. */
export function hashOfText(text: string): string {
  return `0x${encodeHex(keccak_256(new TextEncoder().encode(text)))}`
}

const wordOf = (value: bigint) => `0x${BigInt.asUintN(256, value).toString(16).padStart(64, '0')}`
