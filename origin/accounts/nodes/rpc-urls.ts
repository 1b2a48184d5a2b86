/** Each poll of the chain sends a request to every node. */
export const NODES_MAX = 5

/**
 * Parses `SVC_CHAIN_RPC`: one URL, or a comma-separated list. Faults never quote a URL, because it may contain an API
 * key.
 */
export function parseRpcUrls(text: string): { urls: string[] } | { fault: string } {
  const entries = text.split(',').map((entry) => entry.trim())
  if (entries.length > NODES_MAX) return { fault: `expected at most ${NODES_MAX} URLs` }
  const urls: string[] = []
  for (const [index, entry] of entries.entries()) {
    const of = entries.length === 1 ? '' : `URL ${index + 1}: `
    const url = URL.parse(entry)
    if (!url || !/^https?:$/.test(url.protocol))
      return { fault: `${of}expected an http or https URL` }
    if (urls.includes(url.href)) return { fault: `${of}duplicate` }
    urls.push(url.href)
  }
  return { urls }
}

/** A node grants permissions, so its responses must be authentic. */
export function requireHttps(urls: readonly string[]): string | undefined {
  return urls.every((url) => url.startsWith('https:')) ? undefined : 'must use https in production'
}
