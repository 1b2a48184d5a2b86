import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeHex } from '../encoding/hex.ts'

/** keccak-256 hash that identifies the key in the contract and in lists, as 0x hex of 32 bytes. */
export function apiKeyHash(apiKey: string): string {
  return `0x${encodeHex(keccak_256(new TextEncoder().encode(apiKey)))}`
}
