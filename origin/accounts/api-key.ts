import { randomBytes } from 'node:crypto'
import { keccak256, toUtf8Bytes } from 'ethers'

/** 32 random bytes in base64 (44 characters). Shown to the user once; only the hash is stored. */
export function newApiKey(): string {
  return randomBytes(32).toString('base64')
}

/** Keccak256 of the UTF-8 text. */
export function apiKeyHash(apiKey: string): string {
  // The encoder of ethers throws on ill-formed UTF-16. Such a key must be treated as unknown instead.
  return keccak256(Buffer.from(apiKey, 'utf8'))
}

/** Keccak256 of the text. Groups identify permitted actions by this hash. */
export function cidHash(cid: string): string {
  return keccak256(toUtf8Bytes(cid))
}
