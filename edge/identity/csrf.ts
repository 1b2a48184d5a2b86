/**
 * Protects forms against CSRF with two independent checks: the source that the browser reports in headers, and a token
 * that is embedded only in the form for this session and subject.
 */
import { decodeBase64url, encodeBase64url } from '../../shared/encoding/base64url.ts'

const PURPOSE = 'svc/csrf/v1/'

/**
 * Returns true if the headers `Origin` and `Sec-Fetch-Site`, which scripts cannot set, show that the request comes from
 * our site. Under our `Referrer-Policy: no-referrer`, browsers send `Origin: null` with forms (Fetch, "append a request
 * `Origin` header"). Returns false if both headers are missing.
 */
export function isSameOriginRequest({ headers }: Request, publicUrl: string): boolean {
  const origin = headers.get('origin')
  const fetchSite = headers.get('sec-fetch-site')
  if (fetchSite !== null && fetchSite !== 'same-origin') return false
  if (origin !== null && origin !== 'null') return origin === new URL(publicUrl).origin
  return fetchSite === 'same-origin'
}

/**
 * Returns the CSRF token for a subject: an HMAC-SHA256 with the session secret as the key. The token is not stored, and
 * is invalid in any other session.
 */
export async function csrfToken(sessionSecret: string, subject: string): Promise<string> {
  const mac = await crypto.subtle.sign('HMAC', await macKey(sessionSecret), macInput(subject))
  return encodeBase64url(new Uint8Array(mac))
}

/** Verifies a CSRF token in constant time (`subtle.verify`). */
export async function isCsrfToken(
  token: string,
  sessionSecret: string,
  subject: string,
): Promise<boolean> {
  const mac = decodeBase64url(token)
  if (!mac) return false
  return crypto.subtle.verify('HMAC', await macKey(sessionSecret), mac, macInput(subject))
}

function macKey(sessionSecret: string): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = new TextEncoder().encode(sessionSecret)
  return crypto.subtle.importKey('raw', key, algorithm, false, ['sign', 'verify'])
}

function macInput(subject: string): Uint8Array {
  return new TextEncoder().encode(PURPOSE + subject)
}
