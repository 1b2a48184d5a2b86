import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeHex } from '../encoding/hex.ts'

/** Returns the keccak-256 of the text's UTF-8 bytes, as 0x hex of 32 bytes. */
export function keccakHex(text: string): string {
  return `0x${encodeHex(keccak_256(new TextEncoder().encode(text)))}`
}

/**
 * Returns the hash that identifies an API key in the contract and in lists. Ill-formed UTF-16 also has a hash, so such
 * a key is treated as unknown.
 */
export const apiKeyHash = keccakHex
