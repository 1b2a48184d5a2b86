/**
 * Request headers that determine how a message is framed and routed, where a wrong value could smuggle a second
 * request. As in the Fetch standard, they are dropped without an error, because libraries set some of them. Unlike in
 * the Fetch standard, headers that protect the user of a browser (cookie, origin, referer) are not dropped.
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
