/** A `fetch` that trusts one more authority, for the hosts that it is meant for and no others. */
import { getCACertificates } from 'node:tls'

/**
 * @param authority PEM
 * @param origins scheme, host and port of those that may show its certificates
 */
export function trustingFetch(authority: string, origins: readonly string[]): typeof fetch {
  let trusting: Promise<(url: string, init: object) => Promise<unknown>> | undefined
  return async (input, init) => {
    const url = String(input instanceof Request ? input.url : input)
    if (!origins.includes(new URL(url).origin)) return fetch(input, init)
    trusting ??= fetchWith(authority)
    // The same interface, declared twice.
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
