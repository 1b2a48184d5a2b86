export type EndpointAddress = { url: string; headers: Record<string, string> }

/**
 * Moves a user name and password from the URL to a header, because `fetch` in Workers rejects URLs with credentials.
 * @param place index in the configured list; errors contain the index instead of the URL, which may contain an API key
 * @throws {Error} if the URL is invalid
 */
export function endpointAddress(endpoint: string, place: number): EndpointAddress {
  if (!URL.canParse(endpoint)) throw new Error(`the chain's endpoint ${place} is not a URL`)
  const url = new URL(endpoint)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json',
  }
  if (url.username || url.password) {
    const user = `${unescaped(url.username)}:${unescaped(url.password)}`
    const bytes = new TextEncoder().encode(user)
    headers['authorization'] = `Basic ${btoa(String.fromCharCode(...bytes))}`
    url.username = url.password = ''
  }
  url.hash = ''
  return { url: url.href, headers }
}

/** Returns invalid text unchanged, because a password may contain a bare percent sign. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
