/**
 * Accepts an origin in the form of the `Origin` header (RFC 6454, section 7), for an HTTP or HTTPS page. `null`, which
 * browsers send for sandboxed pages, is not an origin.
 */
export function isWebOrigin(text: string): boolean {
  // `URL` accepts wildcards in a host.
  return /^https?:\/\/[a-z0-9._[\]:-]+$/.test(text) && URL.parse(text)?.origin === text
}
