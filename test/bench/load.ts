import * as http from 'node:http'
import * as https from 'node:https'

export type Load = {
  /** URL of the n-th request. All URLs have the same protocol. */
  url(n: number): string
  body: Uint8Array | ((n: number) => Uint8Array)
  headers: Record<string, string>
  requests: number
  /** Concurrent requests, each on its own connection. */
  inFlight: number
  /** Expected status. @default 202 */
  status?: number
  /** Called with the body of the n-th response. */
  onResponse?: (n: number, body: Buffer) => void
}

export type LoadResult = { latenciesMs: number[]; perSecond: number }

/** POSTs until all requests are answered. @throws {Error} at the first response with an unexpected status */
export async function post(load: Load): Promise<LoadResult> {
  const { body, headers, status = 202, onResponse } = load
  const agent = keepAliveAgent(load.url(0), load.inFlight)
  const latenciesMs: number[] = []
  let next = 0
  const sender = async () => {
    while (next < load.requests) {
      const n = next++
      const bytes = typeof body === 'function' ? body(n) : body
      const began = performance.now()
      const received = await postOnce(agent, load.url(n), { headers, body: bytes, status })
      latenciesMs.push(performance.now() - began)
      onResponse?.(n, received)
    }
  }
  const began = performance.now()
  try {
    await Promise.all(Array.from({ length: load.inFlight }, sender))
  } finally {
    agent.destroy()
  }
  const seconds = (performance.now() - began) / 1000
  return { latenciesMs, perSecond: load.requests / seconds }
}

/** @param url determines the protocol */
export function keepAliveAgent(url: string, maxSockets: number): http.Agent {
  const { Agent } = url.startsWith('https:') ? https : http
  return new Agent({ keepAlive: true, maxSockets })
}

type Post = { body: Uint8Array; headers: Record<string, string>; status: number }

/** @returns the body of the response. @throws {Error} if it has another status */
export function postOnce(
  agent: http.Agent,
  url: string,
  { body, headers, status }: Post,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const { request } = url.startsWith('https:') ? https : http
    const length = { 'content-length': String(body.length) }
    const sent = request(url, { method: 'POST', agent, headers: { ...headers, ...length } })
    sent.once('error', reject)
    sent.once('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', reject)
      response.once('end', () => {
        const received = Buffer.concat(chunks)
        if (response.statusCode === status) resolve(received)
        else reject(new Error(`${response.statusCode}: ${received.toString().slice(0, 300)}`))
      })
    })
    sent.end(body)
  })
}
