/** TCP load balancer, which passes TLS through: each connection goes to the next server in turn. */
import { once } from 'node:events'
import { Agent, get } from 'node:https'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectSockets } from './connect-sockets.ts'

const CHECK_INTERVAL_MS = 500
const CHECK_TIMEOUT_MS = 5_000
/** Far more than a machine needs to start, even if all share two processors. */
const HEALTHY_WITHIN_MS = 180_000

type Server = { host: string; port: number }

type Options = {
  /** @default a free port of 127.0.0.1 */
  listen?: Server
  /**
   * Name in the servers' certificates. With it, only servers whose `GET /health` answers 200 get connections. Without it,
   * every server that accepts a connection gets it.
   */
  healthOf?: string
}

export type LoadBalancer = Awaited<ReturnType<typeof startLoadBalancer>>

/** @returns servers at ports of 127.0.0.1 */
export const localServers = (ports: readonly number[]): Server[] =>
  ports.map((port) => ({ host: '127.0.0.1', port }))

/** A connection that no server accepts is closed. */
export async function startLoadBalancer(
  servers: readonly Server[],
  { listen = { host: '127.0.0.1', port: 0 }, healthOf }: Options = {},
) {
  const open = new Set<Socket>()
  const healthy = new Set<Server>()
  let targets = [...servers]
  let turn = 0
  let connections = 0

  const pass = (client: Socket, [target, ...others]: Server[]) => {
    if (target === undefined) return void client.destroy()
    const server = connect({ ...target, localAddress: addressOf(connections++) })
    const passToNext = () => pass(client, others)
    server.once('error', passToNext)
    server.once('connect', () => {
      server.off('error', passToNext)
      connectSockets(client, server, open)
    })
  }
  const server = createServer((client) => {
    client.on('error', () => {})
    const first = turn++ % targets.length
    const inTurn = [...targets.slice(first), ...targets.slice(0, first)]
    pass(
      client,
      inTurn.filter((target) => healthOf === undefined || healthy.has(target)),
    )
  })
  server.listen(listen)
  await once(server, 'listening')

  const ended = new AbortController()
  const watch = async (target: Server, name: string) => {
    while (!ended.signal.aborted) {
      if (await isHealthy(target, name)) healthy.add(target)
      else healthy.delete(target)
      await sleep(CHECK_INTERVAL_MS)
    }
  }
  if (healthOf !== undefined) for (const target of targets) void watch(target, healthOf)

  /** Closes all open connections, on both sides. */
  const disconnect = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    /** Changes the servers for new connections. Open connections continue. */
    use: (changed: readonly Server[]) => {
      targets = [...changed]
    },
    disconnect,
    /** Waits until all servers are healthy. */
    waitForAll: async () => {
      const deadline = performance.now() + HEALTHY_WITHIN_MS
      while (healthy.size < targets.length) {
        if (performance.now() > deadline)
          throw new Error(`only ${healthy.size} of ${targets.length} servers are healthy`)
        await sleep(50)
      }
    },
    close: () => {
      ended.abort()
      disconnect()
      server.close()
    },
  }
}

/** Each connection comes from an address of its own, as from many clients. */
function addressOf(connection: number): string {
  return `127.1.${(connection >> 8) & 0xff}.${connection & 0xff}`
}

function isHealthy({ host, port }: Server, servername: string): Promise<boolean> {
  const agent = new Agent({ keepAlive: false })
  return new Promise((resolve) => {
    const options = { host, port, servername, path: '/health', agent, timeout: CHECK_TIMEOUT_MS }
    const request = get(options, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
  })
}
