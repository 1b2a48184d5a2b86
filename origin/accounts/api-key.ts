import { randomBytes } from 'node:crypto'
import { keccak256, toUtf8Bytes } from 'ethers'

/** Generates an API key: base64 of 32 random bytes, 44 characters. It is shown once; only its hash is stored. */
export function newApiKey(): string {
  return randomBytes(32).toString('base64')
}

/** Returns the keccak256 hash of the key's UTF-8 text. */
export function apiKeyHash(apiKey: string): string {
  // ethers' encoder throws on ill-formed UTF-16, but such a key should simply be unknown.
  return keccak256(Buffer.from(apiKey, 'utf8'))
}

/** Returns the keccak256 hash of a CID's text, the form in which groups permit actions. */
export function cidHash(cid: string): string {
  return keccak256(toUtf8Bytes(cid))
}
