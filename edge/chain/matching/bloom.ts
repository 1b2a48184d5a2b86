/** The bloom filter of a block's logs (Yellow Paper, 4.3.1). It can give false positives, but no false negatives. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { hexToBytes } from '@noble/hashes/utils.js'

/** Selects one of 2048 bits. */
const BLOOM_BITS_MASK = 2047
const BLOOM_HEX_DIGITS = 512

/** The three bits of one entry: the index of the hex digit after 0x, and the bit within that digit. */
export type BloomBits = readonly { digit: number; bit: number }[]

/** @param hex an address or a topic, with 0x */
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

/** Returns true if a block may contain a log of this address with this first topic. */
export function mayHold(bloom: string, address: string, topic0: string): boolean {
  return hasBits(bloom, bloomBits(address)) && hasBits(bloom, bloomBits(topic0))
}

/** Checks blooms against many filters. Hashes are computed once, so that a check takes microseconds. */
export class WatchedBlooms {
  /** Bits of each address, with the bits of its events. */
  readonly #watched: readonly (readonly [BloomBits, readonly BloomBits[]])[]

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
    this.#watched = [...events].map(([address, topics]) => [
      bits(address),
      [...topics].map((topic) => bits(topic)),
    ])
  }

  /** Returns true if a block may contain a log that matches one of the filters. */
  mayHoldAny(bloom: string): boolean {
    return this.#watched.some(
      ([address, events]) =>
        hasBits(bloom, address) && events.some((topic) => hasBits(bloom, topic)),
    )
  }
}

function digitAt(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code <= 57 ? code - 48 : (code & 0xdf) - 55
}
