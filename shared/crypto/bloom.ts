/**
 * Tests the bloom filter of a block's logs (Yellow Paper, 4.3.1), which has false positives, but no false negatives.
 */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { hexToBytes } from '@noble/hashes/utils.js'

/** Mask that reduces a hash to one of the 2,048 bit positions of a bloom filter. */
const BLOOM_BITS_MASK = 2047
const BLOOM_HEX_DIGITS = 512

/**
 * The three bits of an address or topic in a bloom filter. `digit` is the index of a hex digit after 0x, and `bit` is a
 * mask within that digit.
 */
export type BloomBits = readonly { digit: number; bit: number }[]

/** @param hex address or topic, with 0x */
export function bloomBits(hex: string): BloomBits {
  const hash = keccak_256(hexToBytes(hex.slice(2)))
  return [0, 2, 4].map((at) => {
    const index = ((hash[at]! << 8) | hash[at + 1]!) & BLOOM_BITS_MASK
    return { digit: BLOOM_HEX_DIGITS - 1 - (index >> 2), bit: 1 << (index & 3) }
  })
}

/** Returns false if the block definitely has no log of the address or topic. @param bloom 256 bytes as 0x hex */
export function bloomHasBits(bloom: string, bits: BloomBits): boolean {
  return bits.every(({ digit, bit }) => (digitAt(bloom, digit + 2) & bit) !== 0)
}

function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code <= 57 ? code - 48 : (code & 0xdf) - 55
}
