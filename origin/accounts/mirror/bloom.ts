import { getBytes, keccak256 } from 'ethers'

/** Positions of the three bits, out of 2,048, that an address sets in a header's `logsBloom` (Yellow Paper, 4.3.1). */
export function addressBloomBits(address: string): readonly number[] {
  const hash = getBytes(keccak256(address))
  return [0, 2, 4].map((at) => ((hash[at]! << 8) | hash[at + 1]!) & 0x7ff)
}

/**
 * False if a block definitely has no log of the address.
 * @param bloom the header's `logsBloom`, 256 bytes in 0x hex
 * @param bits positions of the bits that the address sets
 */
export function bloomHasBits(bloom: string, bits: readonly number[]): boolean {
  return bits.every((bit) => {
    // Bit 0 is the lowest bit of the last byte, and thus in the last hex digit.
    const digit = Number.parseInt(bloom[bloom.length - 1 - (bit >> 2)]!, 16)
    return (digit & (1 << (bit & 3))) !== 0
  })
}
