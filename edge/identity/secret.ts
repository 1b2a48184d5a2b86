/**
 * Secrets that people and agents hold, and the hashes that storage keeps instead. A secret has 256 random
 * bits, so a plain SHA-256 hides it: there is nothing to guess, and a slow hash would only slow us.
 */
import { decodeBase64url, encodeBase64url } from '../../shared/base64url.ts'
import type { IdentityDeps } from './deps.ts'

/** 256 bits: not to be guessed, with any number of attempts. */
const SECRET_BYTES = 32
/** 32 bytes in base64url, without padding. */
const SECRET_CHARACTERS = 43

export function newSecret(random: IdentityDeps['random']): string {
  return encodeBase64url(random(SECRET_BYTES))
}

/**
 * The 32 bytes behind a secret or a challenge, or `undefined` where the text is not their one canonical
 * form: two texts for the same bytes would be two rows for the same token.
 */
export function decode32Bytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  return text.length === SECRET_CHARACTERS ? decodeBase64url(text) : undefined
}

/** base64url(SHA-256(text as UTF-8)): the challenge of a token (specification, Authentication 3). */
export async function hashSecret(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return encodeBase64url(new Uint8Array(digest))
}
