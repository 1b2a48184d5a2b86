export type HostPort = { host: string; port: number }

const DEFAULT_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443, 'postgres:': 5432 }

/** Returns the host of an http or https URL. IPv6 addresses have no brackets, and names have no trailing dot. */
export function urlHost(url: URL): string {
  const { hostname } = url
  if (hostname.startsWith('[')) return hostname.slice(1, -1)
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
}

/** Returns the port of a URL. Defaults to the standard port of the protocol, or 0 if the protocol is unknown. */
export function urlPort(url: URL): number {
  return url.port === '' ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port)
}

/**
 * Returns the canonical form of a host (WHATWG URL), or undefined if the host is invalid. IPv6 addresses must be in
 * brackets.
 */
export function canonicalHost(text: string): string | undefined {
  if (!/^(\[[0-9a-f:.]+\]|[^:/\\?#@[\]]+)$/i.test(text)) return undefined
  const url = URL.parse(`http://${text}`)
  return url === null ? undefined : urlHost(url)
}

/** Returns the canonical form of an IP address, or undefined if the address is invalid or has a zone ID. */
export function canonicalAddress(address: string): string | undefined {
  return canonicalHost(address.includes(':') ? `[${address}]` : address)
}
