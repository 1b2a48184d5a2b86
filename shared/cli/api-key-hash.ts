import { keccak_256 } from '@noble/hashes/sha3.js'
import { encodeHex } from '../hex.ts'

/** The hash that the contract, and every list, knows a key by (`decisions.md`, API keys): 0x hex of 32 bytes. */
export function apiKeyHash(apiKey: string): string {
  return `0x${encodeHex(keccak_256(new TextEncoder().encode(apiKey)))}`
}
