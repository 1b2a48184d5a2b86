import { keccak_256 } from '@noble/hashes/sha3.js'

export const EMPTY_BLOOM = `0x${'0'.repeat(512)}`

/**
 * Cache of the 3 bits out of 2,048 that an address or topic sets (Yellow Paper, section 4.3.1). Bit 0 is the lowest bit
 * of the last byte.
 */
const bitsOf = new Map<string, readonly number[]>()

/**
 * Computes the `logsBloom` of a block.
 * @param values addresses and topics of its logs, in 0x-prefixed hex
 */
export function bloomOf(values: Iterable<string>): string {
  const bytes = new Uint8Array(256)
  let isEmpty = true
  for (const value of values) {
    isEmpty = false
    let bits = bitsOf.get(value)
    if (!bits) bitsOf.set(value, (bits = hashedBits(value)))
    for (const bit of bits) bytes[255 - (bit >> 3)]! |= 1 << (bit & 7)
  }
  return isEmpty ? EMPTY_BLOOM : hexOf(bytes)
}

function hashedBits(value: string): number[] {
  const hash = keccak_256(bytesOf(value))
  return [0, 2, 4].map((at) => ((hash[at]! << 8) | hash[at + 1]!) & 2047)
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.slice(2).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}

export function hexOf(bytes: Uint8Array): string {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

export function keccakOf(text: string): string {
  return hexOf(keccak_256(new TextEncoder().encode(text)))
}
