/** Which headers of a request or an answer the edge passes on: all but those of a connection, and of the edge itself. */

/** Of one connection (RFC 9110, 7.6.1), and what the next one says by itself. */
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
 * What the edge keeps to itself: its cookies, which the origin has no use for and must not set, and what would name
 * an address, since any client can send any header (`decisions.md`, Client address).
 */
const OF_THE_EDGE = new Set([
  // A sealed answer is not compressed: what comes out of the envelope is sent as it is.
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
export function isPassedHeader(name: string): boolean {
  if (OF_THE_CONNECTION.has(name) || OF_THE_EDGE.has(name)) return false
  return !name.startsWith('cf-') && !name.startsWith('x-forwarded-')
}

/** The headers that go on, names in lower case; a `Connection` header names more that do not. */
export function passedHeaders(headers: Iterable<[string, string]>): [string, string][] {
  const all = [...headers].map(([name, value]): [string, string] => [name.toLowerCase(), value])
  const named = new Set(
    all
      .filter(([name]) => name === 'connection')
      .flatMap(([, value]) => value.split(',').map((token) => token.trim().toLowerCase())),
  )
  return all.filter(([name]) => isPassedHeader(name) && !named.has(name))
}
