import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChainNode } from './chain-node.ts'

export type RunningNode = Awaited<ReturnType<typeof startChainNode>>

/**
 * Serves a node on a local port.
 * @param throttle `latencyMs` delays every response; `inFlight` limits concurrent requests, the rest wait
 */
export async function startChainNode(
  node: ChainNode,
  throttle: { latencyMs?: number; inFlight?: number; port?: number } = {},
) {
  const { latencyMs = 0, inFlight = Number.POSITIVE_INFINITY, port = 0 } = throttle
  const waiting: (() => void)[] = []
  let under = 0
  let answeredAt = 0

  const serve = async (body: string, response: ServerResponse) => {
    if (under >= inFlight) await new Promise<void>((go) => waiting.push(go))
    under++
    try {
      if (latencyMs > 0) await sleep(latencyMs)
      const answer = node.answer(body)
      if (answer === 'hang' || answer === 'timeout') return
      if (answer === 'refused') return void response.destroy()
      answeredAt = Date.now()
      response.writeHead(answer.status, answer.headers).end(answer.body)
    } finally {
      under--
      waiting.shift()?.()
    }
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      serve(Buffer.concat(chunks).toString('utf8'), response).catch(() => response.destroy())
    })
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  const address = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${address.port}`,
    node,
    /** Unix time of the last response, in milliseconds. */
    answeredAt: () => answeredAt,
    close: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
