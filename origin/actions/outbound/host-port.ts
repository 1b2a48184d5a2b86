/** A host as `hostOf` writes it, and a port. */
export type HostPort = { host: string; port: number }

const DEFAULT_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443, 'postgres:': 5432 }

/** The host of a parsed http(s) URL: IPv6 without brackets, names without the dot of the root. */
export function hostOf(url: URL): string {
  const { hostname } = url
  if (hostname.startsWith('[')) return hostname.slice(1, -1)
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
}

/** The port that a URL leads to. */
export function portOf(url: URL): number {
  return url.port === '' ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port)
}

/** One spelling for all that mean the same host (WHATWG URL); `undefined` when it is none. IPv6 in brackets. */
export function canonicalHost(text: string): string | undefined {
  if (!/^(\[[0-9a-f:.]+\]|[^:/\\?#@[\]]+)$/i.test(text)) return undefined
  const url = URL.parse(`http://${text}`)
  return url === null ? undefined : hostOf(url)
}

/** One spelling of an IP address, by which two are the same; `undefined` when it is none, or has a zone. */
export function canonicalAddress(address: string): string | undefined {
  return canonicalHost(address.includes(':') ? `[${address}]` : address)
}
