import { sha256 } from '@noble/hashes/sha2.js'
import { encodeBase64url } from '../encoding/base64url.ts'
import { comparisonCode } from '../encoding/crockford-code.ts'

/** Random bytes in an agent token, which has 64 characters in base64url. */
const TOKEN_BYTES = 48

/** A locally generated agent token, which is not valid until a person approves it. */
export type AgentToken = {
  /**
   * The secret token, which is never part of a URL. Store the token, because it becomes valid when a person approves
   * it.
   */
  token: string
  /** SHA-256 of the token in base64url, without padding. */
  challenge: string
  /**
   * Code to show beside the approval link. If the approval page shows a different code, the link is for someone else's
   * token.
   */
  comparisonCode: string
  /** Returns the URL at which a signed-in person approves the token. @param triggersUrl URL of the edge */
  authorizeUrl(triggersUrl: string | URL): string
}

/** Generates an agent token. @param random cryptographically secure random bytes. Default: the platform's generator */
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
