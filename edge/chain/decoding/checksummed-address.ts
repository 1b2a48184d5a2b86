import { keccak_256 } from '@noble/hashes/sha3.js'

const text = new TextEncoder()

/**
 * An address as people compare it: each letter's case is a bit of a hash (EIP-55).
 * @param address lower-case 0x hex of 20 bytes
 */
export function checksummedAddress(address: string): string {
  const digits = address.slice(2)
  const hash = keccak_256(text.encode(digits))
  let out = '0x'
  for (let at = 0; at < digits.length; at++) {
    const nibble = at % 2 === 0 ? hash[at >> 1]! >> 4 : hash[at >> 1]! & 15
    out += nibble >= 8 ? digits[at]!.toUpperCase() : digits[at]!
  }
  return out
}
