import { keccak_256 } from '@noble/hashes/sha3.js'

const text = new TextEncoder()

/** Addresses recur in many logs, and computing the hash costs more than the rest of the decoding. */
const REMEMBERED_MAX = 2_000
const remembered = new Map<string, string>()

/**
 * EIP-55 checksum.
 * @param address 20 bytes as lower-case 0x hex
 */
export function checksummedAddress(address: string): string {
  const known = remembered.get(address)
  if (known !== undefined) return known
  if (remembered.size === REMEMBERED_MAX) remembered.clear()
  const checksummed = withChecksum(address)
  remembered.set(address, checksummed)
  return checksummed
}

function withChecksum(address: string): string {
  const digits = address.slice(2)
  const hash = keccak_256(text.encode(digits))
  let out = '0x'
  for (let at = 0; at < digits.length; at++) {
    const nibble = at % 2 === 0 ? hash[at >> 1]! >> 4 : hash[at >> 1]! & 15
    out += nibble >= 8 ? digits[at]!.toUpperCase() : digits[at]!
  }
  return out
}
