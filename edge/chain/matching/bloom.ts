/** Bloom filter of a block's logs (Yellow Paper, 4.3.1): false positives, but no false negatives. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { hexToBytes } from '@noble/hashes/utils.js'

/** Reduces a hash to one of the 2,048 bit positions of a bloom filter. */
const BLOOM_BITS_MASK = 2047
const BLOOM_HEX_DIGITS = 512

/** The three bits of an address or topic. `digit` is the index of a hex digit after 0x, and `bit` a mask within it. */
export type BloomBits = readonly { digit: number; bit: number }[]

/** @param hex address or topic, with 0x */
export function bloomBits(hex: string): BloomBits {
  const hash = keccak_256(hexToBytes(hex.slice(2)))
  return [0, 2, 4].map((at) => {
    const index = ((hash[at]! << 8) | hash[at + 1]!) & BLOOM_BITS_MASK
    return { digit: BLOOM_HEX_DIGITS - 1 - (index >> 2), bit: 1 << (index & 3) }
  })
}

/** @param bloom 256 bytes as 0x hex */
export function hasBits(bloom: string, bits: BloomBits): boolean {
  return bits.every(({ digit, bit }) => (digitAt(bloom, digit + 2) & bit) !== 0)
}

export function mayContainEvent(bloom: string, address: string, topic0: string): boolean {
  return hasBits(bloom, bloomBits(address)) && hasBits(bloom, bloomBits(topic0))
}

/** Checks blooms against many log filters. Hashes are computed once, so a check takes microseconds. */
export class BloomMatcher {
  readonly #events: readonly (readonly [BloomBits, readonly BloomBits[]])[]

  constructor(filters: Iterable<{ address: string; topic0: string }>) {
    const events = new Map<string, Set<string>>()
    for (const { address, topic0 } of filters) {
      const known = events.get(address)
      if (known) known.add(topic0)
      else events.set(address, new Set([topic0]))
    }
    const bitsOf = new Map<string, BloomBits>()
    const bits = (hex: string) => {
      const known = bitsOf.get(hex) ?? bloomBits(hex)
      bitsOf.set(hex, known)
      return known
    }
    this.#events = [...events].map(([address, topics]) => [
      bits(address),
      [...topics].map((topic) => bits(topic)),
    ])
  }

  mayMatch(bloom: string): boolean {
    return this.#events.some(
      ([address, events]) =>
        hasBits(bloom, address) && events.some((topic) => hasBits(bloom, topic)),
    )
  }
}

function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code <= 57 ? code - 48 : (code & 0xdf) - 55
}
