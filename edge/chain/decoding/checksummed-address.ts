import { keccak_256 } from '@noble/hashes/sha3.js'
import { memoize } from '../../memoize.ts'

const text = new TextEncoder()

/**
 * Maximum number of cached checksums. Addresses recur in many logs, and computing the hash is more expensive than the
 * rest of the decoding.
 */
const CACHED_MAX = 2_000

/** @param address 20 bytes as lower-case 0x hex */
export const checksummedAddress = memoize(CACHED_MAX, (address) => {
  const digits = address.slice(2)
  const hash = keccak_256(text.encode(digits))
  let out = '0x'
  for (let at = 0; at < digits.length; at++) {
    const nibble = at % 2 === 0 ? hash[at >> 1]! >> 4 : hash[at >> 1]! & 15
    out += nibble >= 8 ? digits[at]!.toUpperCase() : digits[at]!
  }
  return out
})
