import { isLoopback } from '../../shared/network/loopback.ts'

/** Maximum length of a redirect URI. */
const REDIRECT_URI_MAX_CHARACTERS = 512

/**
 * Returns true for a URI to which codes may be sent: https, or http to this machine. Other schemes could be registered
 * by any program.
 */
export function isRedirectUri(text: string): boolean {
  const url = URL.parse(text)
  if (!url || text.length > REDIRECT_URI_MAX_CHARACTERS || /[#\\\s]/.test(text)) return false
  if (url.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || isLoopbackUri(text)
}

/** Returns true for an http URI of a program on the user’s machine, which chooses a free port (RFC 8252, 7.3). */
export function isLoopbackUri(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'http:' && isLoopback(url.hostname)
}

/**
 * Compares texts, not URLs: normalization differs between programs (RFC 9700, 4.1). Only the port of a loopback URI may
 * differ.
 */
export function isRegistered(redirectUri: string, registered: readonly string[]): boolean {
  return registered.some(
    (one) =>
      one === redirectUri ||
      (isLoopbackUri(one) &&
        isLoopbackUri(redirectUri) &&
        withoutPort(one) === withoutPort(redirectUri)),
  )
}

/** Removes the port textually, so that the rest is still compared exactly. */
function withoutPort(uri: string): string {
  return uri.replace(/^(http:\/\/(?:\[[^\]]*\]|[^/:?]*)):\d+/, '$1')
}
