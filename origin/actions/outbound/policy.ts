/** Which addresses actions may reach besides public ones, and which they may not although they are public. */
import type { HostPort } from './host-port.ts'
import { canonicalHost, portOf } from './host-port.ts'

/** `port` null: the name alone, at any port, and not what it resolves to. */
export type DeniedHost = { host: string; port: number | null }

/** Plain data: it is sent to each executor. Hosts as `canonicalHost` writes them. */
export type OutboundPolicy = {
  /** Lifts the address rule for exactly these; for local development only. */
  allow: readonly HostPort[]
  /** Our own services, refused by name and by address; wins over `allow`. */
  deny: readonly DeniedHost[]
}

/** Public addresses and nothing else. */
export const PUBLIC_ONLY: OutboundPolicy = { allow: [], deny: [] }

/**
 * Entries of `SVC_OUTBOUND_ALLOW`: `host:port`, separated by commas, IPv6 in brackets.
 * @returns `undefined` when one of them is something else
 */
export function parseAllowed(text: string): HostPort[] | undefined {
  const denied = parseDenied(text)
  const entries = denied?.flatMap(({ host, port }) => (port === null ? [] : [{ host, port }]))
  return entries?.length === denied?.length ? entries : undefined
}

/**
 * Entries of `SVC_OUTBOUND_DENY`: `host:port`, or `host` alone, which refuses the name and not its addresses, as
 * those of a content network are other people's too.
 * @returns `undefined` when one of them is something else
 */
export function parseDenied(text: string): DeniedHost[] | undefined {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseEntry)
  return entries.every((entry) => entry !== undefined) ? entries : undefined
}

/** Our own services by their URLs: what a client reaches us at, the database. One without a host is left out. */
export function ownServices(urls: readonly (string | undefined)[]): HostPort[] {
  return urls.flatMap((text) => {
    const url = text === undefined ? null : URL.parse(text)
    const host = url === null ? undefined : canonicalHost(url.hostname)
    if (url === null || host === undefined) return []
    return [{ host, port: portOf(url) }]
  })
}

function parseEntry(entry: string): DeniedHost | undefined {
  const [, hostText = '', portText] = /^(.*?)(?::(\d{1,5}))?$/.exec(entry) ?? []
  const host = canonicalHost(hostText)
  if (host === undefined) return undefined
  if (portText === undefined) return { host, port: null }
  const port = Number(portText)
  return port >= 1 && port <= 65_535 ? { host, port } : undefined
}
