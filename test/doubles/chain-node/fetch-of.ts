import type { ChainNode } from './chain-node.ts'

/**
 * Creates a `fetch` that reaches these nodes, by URL prefix.
 * @throws {TypeError} like `fetch`, for an unknown host or a refused connection
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

/** Pends until the signal aborts. */
function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}
