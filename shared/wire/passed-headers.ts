/**
 * Determines which request and response headers the edge forwards: all headers except hop-by-hop headers and the edge's
 * own.
 */

/** Hop-by-hop headers (RFC 9110, section 7.6.1), and headers that each hop sets itself. They are not forwarded. */
const OF_THE_CONNECTION = new Set([
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
const OF_THE_EDGE = new Set([
  // Not forwarded, so that the origin does not compress a sealed response. The edge sends the decrypted body unchanged.
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

/** Returns true if the edge forwards a header. @param name name of the header in lower case */
export function isPassedHeader(name: string): boolean {
  if (OF_THE_CONNECTION.has(name) || OF_THE_EDGE.has(name)) return false
  return !name.startsWith('cf-') && !name.startsWith('x-forwarded-')
}

/**
 * Returns the headers to forward, with names in lower case. Also drops the headers that the `Connection` header names.
 */
export function passedHeaders(headers: Iterable<[string, string]>): [string, string][] {
  const all = [...headers].map(([name, value]): [string, string] => [name.toLowerCase(), value])
  const named = new Set(
    all
      .filter(([name]) => name === 'connection')
      .flatMap(([, value]) => value.split(',').map((token) => token.trim().toLowerCase())),
  )
  return all.filter(([name]) => isPassedHeader(name) && !named.has(name))
}
