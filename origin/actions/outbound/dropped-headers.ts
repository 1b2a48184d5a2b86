/**
 * Request headers that an action cannot set. They determine how a message is framed and routed, and a wrong value could
 * smuggle a second request. They are dropped without an error, as in the Fetch standard, because libraries set some of
 * them. The Fetch standard also drops headers that protect the user of a browser (cookie, origin, referer), which does
 * not apply here.
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

/** @param name in lower case */
export function isDroppedHeader(name: string): boolean {
  return DROPPED.has(name) || name.startsWith('proxy-') || name.startsWith('sec-')
}
