/**
 * Secrets with 256 random bits. Such a secret cannot be guessed, so a plain SHA-256 is sufficient, and a slow hash
 * would only add latency.
 */
import { decodeBase64url, encodeBase64url } from '../../shared/encoding/base64url.ts'
import { sha256 } from '../sha256.ts'
import type { IdentityDeps } from './deps.ts'

const SECRET_BYTES = 32
/** Length of a secret in base64url without padding. */
const SECRET_CHARACTERS = 43

export function newSecret(random: IdentityDeps['random']): string {
  return encodeBase64url(random(SECRET_BYTES))
}

/**
 * Decodes 32 bytes from base64url. Returns `undefined` unless the encoding is canonical. Otherwise, two texts for the
 * same bytes would create two rows for the same token.
 */
export function decode32Bytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  return text.length === SECRET_CHARACTERS ? decodeBase64url(text) : undefined
}

/** Returns the SHA-256 of the UTF-8 text, in base64url. The hash of a token is also its challenge. */
export async function hashSecret(text: string): Promise<string> {
  return encodeBase64url(await sha256(text))
}
