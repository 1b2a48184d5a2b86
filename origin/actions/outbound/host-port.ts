/** A host as returned by `hostOf`, and a port. */
export type HostPort = { host: string; port: number }

const DEFAULT_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443, 'postgres:': 5432 }

/** Returns the host of a parsed http(s) URL: IPv6 without brackets, names without the trailing dot of the root. */
export function hostOf(url: URL): string {
  const { hostname } = url
  if (hostname.startsWith('[')) return hostname.slice(1, -1)
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
}

/** Returns the port of a URL, or else the default port of its protocol. */
export function portOf(url: URL): number {
  return url.port === '' ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port)
}

/** Returns the canonical spelling of a host (WHATWG URL), or undefined if it is invalid. Expects IPv6 in brackets. */
export function canonicalHost(text: string): string | undefined {
  if (!/^(\[[0-9a-f:.]+\]|[^:/\\?#@[\]]+)$/i.test(text)) return undefined
  const url = URL.parse(`http://${text}`)
  return url === null ? undefined : hostOf(url)
}

/** Returns the canonical spelling of an IP address, or undefined if it is invalid or has a zone. */
export function canonicalAddress(address: string): string | undefined {
  return canonicalHost(address.includes(':') ? `[${address}]` : address)
}
