/**
 * Two independent proofs that a form came from a page of ours: where the browser says it came from, and a
 * token that only this session's page for this subject holds.
 */
import { decodeBase64url, encodeBase64url } from '../../shared/base64url.ts'

const PURPOSE = 'svc/csrf/v1/'

/** What a browser says about the page that sent a request; scripts cannot set either header. */
export type RequestSource = { origin: string | undefined; fetchSite: string | undefined }

/**
 * Whether a page of our own sent the request. `Sec-Fetch-Site` is looked at beside `Origin` because our
 * pages carry `Referrer-Policy: no-referrer`, for which browsers send `Origin: null` with a form (Fetch,
 * "append a request `Origin` header"). With neither header, the answer is no.
 */
export function isFromOwnPage(source: RequestSource, publicUrl: string): boolean {
  const { origin, fetchSite } = source
  if (fetchSite !== undefined && fetchSite !== 'same-origin') return false
  if (origin !== undefined && origin !== 'null') return origin === new URL(publicUrl).origin
  return fetchSite === 'same-origin'
}

/** HMAC-SHA256(session secret, purpose and subject): nothing to store, and worth nothing to another session. */
export async function csrfToken(sessionSecret: string, subject: string): Promise<string> {
  const mac = await crypto.subtle.sign('HMAC', await macKey(sessionSecret), covered(subject))
  return encodeBase64url(new Uint8Array(mac))
}

/** `subtle.verify` compares in constant time. */
export async function isCsrfToken(
  token: string,
  sessionSecret: string,
  subject: string,
): Promise<boolean> {
  const mac = decodeBase64url(token)
  if (!mac) return false
  return crypto.subtle.verify('HMAC', await macKey(sessionSecret), mac, covered(subject))
}

function macKey(sessionSecret: string): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = new TextEncoder().encode(sessionSecret)
  return crypto.subtle.importKey('raw', key, algorithm, false, ['sign', 'verify'])
}

function covered(subject: string): Uint8Array {
  return new TextEncoder().encode(PURPOSE + subject)
}
