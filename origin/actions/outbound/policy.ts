/** Non-public addresses that actions may reach, and public addresses that they may not reach. */
import type { HostPort } from './host-port.ts'
import { canonicalHost, portOf } from './host-port.ts'

/** If `port` is null, denies the name alone, at any port, but not the addresses that it resolves to. */
export type DeniedHost = { host: string; port: number | null }

/** Plain data, because it is sent to each executor. Hosts are as returned by `canonicalHost`. */
export type OutboundPolicy = {
  /** Exempts exactly these from the address rule. For local development only. */
  allow: readonly HostPort[]
  /** Our own services, refused by name and by address. Takes precedence over `allow`. */
  deny: readonly DeniedHost[]
}

export const PUBLIC_ONLY: OutboundPolicy = { allow: [], deny: [] }

/**
 * Parses `SVC_OUTBOUND_ALLOW`: `host:port`, separated by commas, IPv6 in brackets.
 * @returns undefined if an entry has another form
 */
export function parseAllowed(text: string): HostPort[] | undefined {
  const denied = parseDenied(text)
  const entries = denied?.flatMap(({ host, port }) => (port === null ? [] : [{ host, port }]))
  return entries?.length === denied?.length ? entries : undefined
}

/**
 * Parses `SVC_OUTBOUND_DENY`: `host:port`, or `host` alone. A host alone denies the name but not its addresses, because
 * a content delivery network shares its addresses among customers.
 * @returns undefined if an entry has another form
 */
export function parseDenied(text: string): DeniedHost[] | undefined {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseEntry)
  return entries.every((entry) => entry !== undefined) ? entries : undefined
}

/**
 * Returns the hosts and ports of our own services, such as the public URL and the database. A URL without a host is
 * skipped.
 */
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
