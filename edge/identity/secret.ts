/**
 * A secret has 256 random bits, so a plain SHA-256 suffices: it cannot be guessed, and a slow hash would only add
 * latency.
 */
import { decodeBase64url, encodeBase64url } from '../../shared/encoding/base64url.ts'
import { sha256 } from '../sha256.ts'
import type { IdentityDeps } from './deps.ts'

const SECRET_BYTES = 32
/** In base64url, without padding. */
const SECRET_CHARACTERS = 43

export function newSecret(random: IdentityDeps['random']): string {
  return encodeBase64url(random(SECRET_BYTES))
}

/**
 * Returns `undefined` unless the encoding is canonical. Otherwise, two texts for the same bytes would create two rows
 * for the same token.
 */
export function decode32Bytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  return text.length === SECRET_CHARACTERS ? decodeBase64url(text) : undefined
}

/** base64url(SHA-256(text as UTF-8)). The hash of a token is also its challenge. */
export async function hashSecret(text: string): Promise<string> {
  return encodeBase64url(await sha256(text))
}
