import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeHex } from '../hex.ts'

/** Returns the hash that identifies a key in the contract and in every list: 0x hex of 32 bytes. */
export function apiKeyHash(apiKey: string): string {
  return `0x${encodeHex(keccak_256(new TextEncoder().encode(apiKey)))}`
}
