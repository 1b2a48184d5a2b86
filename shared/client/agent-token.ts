import { sha256 } from '@noble/hashes/sha2.js'
import { encodeBase64url } from '../base64url.ts'
import { comparisonCode } from '../comparison-code.ts'

/** Encodes to 64 characters of base64url. */
const TOKEN_BYTES = 48

/** A locally generated credential for the trigger service, not valid until a person approves it. */
export type AgentToken = {
  /** Secret. Keep it: approval makes it valid. It never appears in a URL. */
  token: string
  /** base64url of the token's SHA-256, without padding. */
  challenge: string
  /** Show it beside the link. The page shows the same code unless the link belongs to someone else. */
  comparisonCode: string
  /** Returns the URL where a signed-in person approves the token. @param triggersUrl of the edge */
  authorizeUrl(triggersUrl: string | URL): string
}

/**
 * Generates a token.
 * @param random cryptographically secure random bytes. Default: the platform's generator
 */
export function newAgentToken(
  random: (bytes: number) => Uint8Array = (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
): AgentToken {
  const token = encodeBase64url(random(TOKEN_BYTES))
  const hash = sha256(new TextEncoder().encode(token))
  const challenge = encodeBase64url(hash)
  return {
    token,
    challenge,
    comparisonCode: comparisonCode(hash),
    authorizeUrl(triggersUrl) {
      const url = new URL('/agent/authorize', triggersUrl)
      url.searchParams.set('challenge', challenge)
      return url.href
    },
  }
}
