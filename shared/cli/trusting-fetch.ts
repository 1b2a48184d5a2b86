import { getCACertificates } from 'node:tls'

/**
 * Returns a `fetch` that trusts an additional certificate authority, but only for some hosts.
 * @param authority PEM certificate
 * @param origins scheme, host and port of each host that may use certificates of the authority
 */
export function trustingFetch(authority: string, origins: readonly string[]): typeof fetch {
  let trusting: Promise<(url: string, init: object) => Promise<unknown>> | undefined
  return async (input, init) => {
    const url = String(input instanceof Request ? input.url : input)
    if (!origins.includes(new URL(url).origin)) return fetch(input, init)
    trusting ??= fetchWith(authority)
    // The cast is needed, because undici and the DOM types declare the same interface separately.
    return (await (
      await trusting
    )(url, init ?? {})) as Response
  }
}

async function fetchWith(authority: string) {
  const undici = await import('undici')
  const ca = [...getCACertificates('default'), authority]
  const dispatcher = new undici.Agent({ connect: { ca } })
  return (url: string, init: object) => undici.fetch(url, { ...init, dispatcher })
}
