import { randomBytes } from 'node:crypto'
import { keccak256, toUtf8Bytes } from 'ethers'

/** A new API key: base64 of 32 random bytes, 44 characters. Shown once; only its hash is kept. */
export function newApiKey(): string {
  return randomBytes(32).toString('base64')
}

/** `apiKeyHash`: keccak256 of the key's text in UTF-8 (`decisions.md`, API keys). */
export function apiKeyHash(apiKey: string): string {
  return keccak256(toUtf8Bytes(apiKey))
}

/** keccak256 of a CID's text: the form in which groups permit actions. */
export function cidHash(cid: string): string {
  return keccak256(toUtf8Bytes(cid))
}
