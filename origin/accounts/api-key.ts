import { randomBytes } from 'node:crypto'
import { keccak256, toUtf8Bytes } from 'ethers'

/** A new API key: base64 of 32 random bytes, 44 characters. Shown once; only its hash is kept. */
export function newApiKey(): string {
  return randomBytes(32).toString('base64')
}

/** `apiKeyHash`: keccak256 of the key's text in UTF-8 (`decisions.md`, API keys). */
export function apiKeyHash(apiKey: string): string {
  // Not ethers' encoder: it throws for text that is not well-formed, and such a key is only an unknown one.
  return keccak256(Buffer.from(apiKey, 'utf8'))
}

/** keccak256 of a CID's text: the form in which groups permit actions. */
export function cidHash(cid: string): string {
  return keccak256(toUtf8Bytes(cid))
}
