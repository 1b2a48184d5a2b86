/**
 * Request headers that an action cannot set: they say how the message is framed, where it goes and through what, and
 * a wrong one would smuggle a second request. Dropped without an error, as the Fetch standard does, since libraries
 * set some of them; what it drops beyond these guards a browser's user (cookie, origin, referer), and there is none.
 */
const DROPPED: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** `name` in lower case. */
export function isDroppedHeader(name: string): boolean {
  return DROPPED.has(name) || name.startsWith('proxy-') || name.startsWith('sec-')
}
