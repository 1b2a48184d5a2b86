/** Exceptions to the rule that actions can connect only to public addresses. */
import { type HostPort, canonicalHost, urlPort } from './host-port.ts'

/**
 * Host that actions may not reach. If `port` is null, the name is denied at any port, but the addresses to which the
 * name resolves are not denied.
 */
type DeniedHost = { host: string; port: number | null }

/**
 * Rules for the hosts that actions may reach. Hosts are in the form that `canonicalHost` returns. The policy is plain
 * data, because it is sent to each executor.
 */
export type OutboundPolicy = {
  /** Hosts that actions may reach although they are not public. For local development only. */
  allow: readonly HostPort[]
  /** Our own services, denied by name and by address. Takes precedence over `allow`. */
  deny: readonly DeniedHost[]
}

export const PUBLIC_ONLY: OutboundPolicy = { allow: [], deny: [] }

/**
 * Parses `SVC_OUTBOUND_ALLOW`: a comma-separated list of `host:port`, with IPv6 addresses in brackets.
 * @returns undefined if an entry is invalid
 */
export function parseAllowed(text: string): HostPort[] | undefined {
  const denied = parseDenied(text)
  const entries = denied?.flatMap(({ host, port }) => (port === null ? [] : [{ host, port }]))
  return entries?.length === denied?.length ? entries : undefined
}

/**
 * Parses `SVC_OUTBOUND_DENY`: a comma-separated list of `host:port` or `host`. An entry without a port denies the name
 * but not its addresses, because a content delivery network shares its addresses among customers.
 * @returns undefined if an entry is invalid
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
 * Returns the hosts and ports in the URLs of our own services, such as the public URL and the database. Skips URLs
 * without a host.
 */
export function ownServices(urls: readonly (string | undefined)[]): HostPort[] {
  return urls.flatMap((text) => {
    const url = text === undefined ? null : URL.parse(text)
    const host = url === null ? undefined : canonicalHost(url.hostname)
    if (url === null || host === undefined) return []
    return [{ host, port: urlPort(url) }]
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
