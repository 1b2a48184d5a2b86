/** Determines which headers the edge forwards: all except hop-by-hop headers and the edge's own. */

/** Hop-by-hop headers (RFC 9110, section 7.6.1), and headers that each hop sets itself. */
const HOP_BY_HOP_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Headers that the edge does not forward. Cookies belong to the edge: the origin does not use cookies and must not set
 * them. Headers with a client address are dropped because any client can send them.
 */
const EDGE_HEADERS = new Set([
  // Without this header, the origin does not compress a sealed response. The edge sends the decrypted body unchanged.
  'accept-encoding',
  'cdn-loop',
  'client-ip',
  'cookie',
  'forwarded',
  'set-cookie',
  'true-client-ip',
  'via',
  'x-client-ip',
  'x-cluster-client-ip',
  'x-real-ip',
])

/** @param name in lower case */
export function isForwardedHeader(name: string): boolean {
  if (HOP_BY_HOP_HEADERS.has(name) || EDGE_HEADERS.has(name)) return false
  return !name.startsWith('cf-') && !name.startsWith('x-forwarded-')
}

/**
 * Returns the headers to forward, with names in lower case. Also drops the headers that the `Connection` header names.
 */
export function forwardedHeaders(headers: Iterable<[string, string]>): [string, string][] {
  const all = [...headers].map(([name, value]): [string, string] => [name.toLowerCase(), value])
  const named = new Set(
    all
      .filter(([name]) => name === 'connection')
      .flatMap(([, value]) => value.split(',').map((token) => token.trim().toLowerCase())),
  )
  return all.filter(([name]) => isForwardedHeader(name) && !named.has(name))
}
