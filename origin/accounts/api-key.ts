import { randomBytes } from 'node:crypto'
import { keccak256, toUtf8Bytes } from 'ethers'

/**
 * Generates an API key: 32 random bytes in base64, which are 44 characters. The key is shown to the user once, and only
 * its hash is stored.
 */
export function newApiKey(): string {
  return randomBytes(32).toString('base64')
}

/** Returns the keccak256 hash of an API key's UTF-8 text. */
export function apiKeyHash(apiKey: string): string {
  // Does not use the encoder of ethers, which throws on ill-formed UTF-16. Such a key must be treated as unknown
  // instead.
  return keccak256(Buffer.from(apiKey, 'utf8'))
}

/** Returns the keccak256 hash of a CID's text. Groups identify permitted actions by this hash. */
export function cidHash(cid: string): string {
  return keccak256(toUtf8Bytes(cid))
}
