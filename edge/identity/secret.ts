/**
 * Secrets that people and agents hold, and the hashes that are stored instead. A secret has 256 random bits, so a plain
 * SHA-256 suffices. It cannot be guessed, and a slow hash would only add latency.
 */
import { decodeBase64url, encodeBase64url } from '../../shared/base64url.ts'
import type { IdentityDeps } from './deps.ts'

/** Length of a secret. 256 random bits cannot be guessed with any number of attempts. */
const SECRET_BYTES = 32
/** Length of a secret in base64url, without padding. */
const SECRET_CHARACTERS = 43

export function newSecret(random: IdentityDeps['random']): string {
  return encodeBase64url(random(SECRET_BYTES))
}

/**
 * Decodes a secret or a challenge. Returns `undefined` unless the encoding is canonical. Otherwise, two texts for the
 * same bytes would create two rows for the same token.
 */
export function decode32Bytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  return text.length === SECRET_CHARACTERS ? decodeBase64url(text) : undefined
}

/** Returns base64url(SHA-256(text as UTF-8)). The hash of a token is also its challenge. */
export async function hashSecret(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return encodeBase64url(new Uint8Array(digest))
}
