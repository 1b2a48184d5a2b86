import type { ChainNode } from './chain-node.ts'

/**
 * A `fetch` whose network is these nodes, by the beginning of their URLs.
 * @throws {TypeError} as `fetch` does, for a host that is not there and a connection that is refused
 */
export function fetchOf(nodes: Readonly<Record<string, ChainNode>>): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const node = Object.entries(nodes).find(([prefix]) => request.url.startsWith(prefix))?.[1]
    if (!node) throw new TypeError('fetch failed')
    const body = await request.text()
    const signal = init?.signal
    signal?.throwIfAborted()
    const answer = node.answer(body)
    if (answer === 'refused') throw new TypeError('fetch failed')
    if (answer === 'timeout') throw new DOMException('The operation timed out', 'TimeoutError')
    if (answer === 'hang') return aborted(signal ?? undefined)
    const { status, headers } = answer
    return new Response(answer.body, { status, headers })
  }
}

/** Never ends by itself. */
function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}
