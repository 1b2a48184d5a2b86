import { getBytes, keccak256 } from 'ethers'

/** Returns the three of 2,048 bits that an address sets in a header's `logsBloom` (Yellow Paper, 4.3.1). */
export function bloomBits(address: string): readonly number[] {
  const hash = getBytes(keccak256(address))
  return [0, 2, 4].map((at) => ((hash[at]! << 8) | hash[at + 1]!) & 0x7ff)
}

/** Returns false if the block has no log of the address; true if it may have one. @param bloom 0x hex of 256 bytes */
export function mayHold(bloom: string, bits: readonly number[]): boolean {
  return bits.every((bit) => {
    // Bit 0 is the lowest bit of the last byte, and thus of the last hex digit.
    const digit = Number.parseInt(bloom[bloom.length - 1 - (bit >> 2)]!, 16)
    return (digit & (1 << (bit & 3))) !== 0
  })
}
