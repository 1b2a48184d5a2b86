/**
 * Codes, access tokens and refresh tokens. Each consists of a prefix, the ID of its grant, and a secret of 256 bits. The
 * ID finds the row, and the row has the hash of the secret.
 */
import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import type { IdentityDeps } from '../identity/deps.ts'
import { hashSecret, newSecret } from '../identity/secret.ts'

const PREFIXES = { code: 'svcc_', access: 'svca_', refresh: 'svcr_' } as const
type Kind = keyof typeof PREFIXES

const GRANT_ID_BYTES = 16
const SHAPE = /^(svc[car]_)([\w-]{22})([\w-]{43})$/

export const newGrantId = (random: IdentityDeps['random']): string =>
  encodeBase64url(random(GRANT_ID_BYTES))

/** Creates a token, and the hash to store. */
export async function issueToken(
  kind: Kind,
  grantId: string,
  random: IdentityDeps['random'],
): Promise<{ text: string; hash: string }> {
  const secret = newSecret(random)
  return { text: PREFIXES[kind] + grantId + secret, hash: await hashSecret(secret) }
}

/** Returns the grant and the hash of the secret, or `undefined` for any other text. */
export async function parseToken(
  kind: Kind,
  text: string,
): Promise<{ grantId: string; hash: string } | undefined> {
  const [, prefix, grantId, secret] = SHAPE.exec(text) ?? []
  if (prefix !== PREFIXES[kind] || grantId === undefined || secret === undefined) return undefined
  return { grantId, hash: await hashSecret(secret) }
}

export const isAccessToken = (text: string): boolean => text.startsWith(PREFIXES.access)

/** Compares hashes in constant time. */
export function isSameHash(one: string | null, other: string): boolean {
  if (one?.length !== other.length) return false
  const encoder = new TextEncoder()
  return crypto.subtle.timingSafeEqual(encoder.encode(one), encoder.encode(other))
}
