/** Where to post, and with which headers. */
export type EndpointAddress = { url: string; headers: Record<string, string> }

/**
 * A user and a password in the URL become a header: the `fetch` of Workers refuses such URLs.
 * @param place of the endpoint in its list: what an error names it by, since its URL may hold a key
 * @throws {Error} for what is no URL
 */
export function endpointAddress(endpoint: string, place: number): EndpointAddress {
  if (!URL.canParse(endpoint)) throw new Error(`the chain's endpoint ${place} is no URL`)
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

/** A password may have a bare percent sign. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
