/** Chain node with a single governance contract; answers its `eth_call`. */
import { startWebServer } from './web-server.ts'

export type GovernanceNode = Awaited<ReturnType<typeof startGovernanceNode>>

/** Can be changed by tests while the node runs. */
export type GovernanceState = { address: string; allowed: string[] }

const SELECTOR = '0x2f6622e5'

export async function startGovernanceNode(state: GovernanceState) {
  const server = await startWebServer(({ body }, response) => {
    const { id, method, params } = JSON.parse(body) as {
      id: number
      method: string
      params: [{ to: string; data: string }]
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params[0]) }))
  })
  const resultOf = (method: string, call: { to: string; data: string } | undefined) => {
    if (method === 'eth_chainId') return '0x7a69'
    const { to = '', data = '' } = call ?? {}
    if (to.toLowerCase() !== state.address) return '0x'
    const isAllowed = data.startsWith(SELECTOR) && state.allowed.includes(data.slice(10))
    return `0x${(isAllowed ? '1' : '0').padStart(64, '0')}`
  }
  return { url: `http://127.0.0.1:${server.port}`, close: server.close }
}
