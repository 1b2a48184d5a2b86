import { sha256 } from '@noble/hashes/sha2.js'
import { encodeBase64url } from '../base64url.ts'
import { comparisonCode } from '../comparison-code.ts'

/** What the specification asks for (Authentication 2): 64 characters of base64url. */
const TOKEN_BYTES = 48

/** A credential of the trigger service that its holder made, and that nobody has approved yet. */
export type AgentToken = {
  /** Keep it: it is what approval makes good. It is shown to nobody, and is in no URL. */
  token: string
  /** base64url of its SHA-256, without padding (Authentication 3). */
  challenge: string
  /** To be shown beside the link: the page shows the same one, unless the link is somebody else's. */
  comparisonCode: string
  /** What a signed-in person opens to press Authorize. @param triggersUrl of the edge */
  authorizeUrl(triggersUrl: string | URL): string
}

/** @param random bytes from a source for keys; the platform's by default */
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
