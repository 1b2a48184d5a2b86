/** A load balancer before a chain's node: it can be down, slow, lose answers, or send some requests to a node that lags. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

type Rpc = { jsonrpc: '2.0'; id: number; method: string; params: any[] }

export type Weather = {
  /** Connections are broken before the node hears of the request. */
  down?: boolean
  /** Requests are taken and never answered. */
  hangs?: boolean
  delayMs?: number
  /** The node hears of requests with this method, and their answer is lost. */
  loses?: string
  /** Every second request goes to a node that has only the blocks up to this one. */
  lagsAt?: number
}

export type ChainProxy = { url: string; weather: Weather; seen: string[]; close(): Promise<void> }

export async function startChainProxy(target: string): Promise<ChainProxy> {
  const proxy = { weather: {} as Weather, seen: [] as string[] }
  let count = 0
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      void answer(text)
        .catch(() => undefined)
        .then((body) => {
          if (body === undefined) return request.socket.destroy()
          response.setHeader('content-type', 'application/json')
          response.end(body)
        })
    })
  })
  const answer = async (text: string): Promise<string | undefined> => {
    const { down, hangs, delayMs, loses, lagsAt } = proxy.weather
    const calls = [JSON.parse(text)].flat() as Rpc[]
    proxy.seen.push(...calls.map(({ method }) => method))
    if (down) return undefined
    if (hangs) return new Promise(() => {})
    if (delayMs) await sleep(delayMs)
    const lagging = lagsAt !== undefined && count++ % 2 === 1
    const sent = lagging ? asOf(calls, lagsAt) : text
    const headers = { 'content-type': 'application/json' }
    const answered = await fetch(target, { method: 'POST', headers, body: sent })
    const body = await answered.text()
    if (calls.some(({ method }) => method === loses)) return undefined
    return lagging ? hidden(body, calls, lagsAt) : body
  }
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  })
}

/** The index of the parameter that says at which block. */
const BLOCK_AT: Record<string, number> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getTransactionCount: 1,
  eth_getBalance: 1,
  eth_getBlockByNumber: 0,
}

/** What a node that has the blocks up to one makes of the same calls. */
function asOf(calls: Rpc[], block: number): string {
  const tip = `0x${block.toString(16)}`
  return JSON.stringify(
    calls.map((call) => {
      const at = BLOCK_AT[call.method]
      if (call.method === 'eth_blockNumber')
        return { ...call, method: 'eth_getBlockByNumber', params: [tip, false] }
      if (at === undefined) return call
      const asked = call.params[at]
      const params = [...call.params]
      if (asked === undefined || asked === 'latest' || asked === 'pending') params[at] = tip
      // A block that no chain here has: the node's own error for a block that it does not know.
      else if (Number(asked) > block) params[at] = '0x3fffffff'
      return { ...call, params }
    }),
  )
}

function hidden(body: string, calls: Rpc[], block: number): string {
  return JSON.stringify(
    (JSON.parse(body) as { id: number; result?: any }[]).map((one) => {
      const { result } = one
      const method = calls.find(({ id }) => id === one.id)?.method
      if (method === 'eth_blockNumber') return { ...one, result: result.number }
      if (result?.transactionHash && Number(result.blockNumber) > block)
        return { ...one, result: null }
      return one
    }),
  )
}
