/** TCP load balancer in front of machines, which passes TLS through. Connections take turns. */
import { once } from 'node:events'
import { Agent, get } from 'node:https'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectSockets } from './connect-sockets.ts'

/** Interval of the health checks, and the time within which a machine has to answer. */
const CHECK_MS = 500
const TIMEOUT_MS = 5_000
/** Time for the machines to reach an expected state. */
const WAIT_MS = 180_000

type Route = {
  host: string
  port: number
  /** Addresses of the machines. */
  machines: readonly string[]
  machinePort: number
  /** Host name for `GET /health` over TLS. Without one, every machine that accepts connections gets them. */
  checks?: string
}

export type Balancer = Awaited<ReturnType<typeof startBalancer>>

export async function startBalancer({ host, port, machines, machinePort, checks }: Route) {
  const healthy = new Set(checks === undefined ? machines : [])
  const sockets = new Set<Socket>()
  let turn = 0

  /** Connects to the first machine that accepts the connection. */
  const pass = (client: Socket, [machine, ...others]: string[]) => {
    if (machine === undefined) return void client.destroy()
    const upstream = connect({ host: machine, port: machinePort })
    const next = () => pass(client, others)
    upstream.once('error', next)
    upstream.once('connect', () => {
      upstream.off('error', next)
      connectSockets(client, upstream, sockets)
    })
  }
  const server = createServer((client) => {
    client.on('error', () => {})
    const first = turn++ % machines.length
    const inTurn = [...machines.slice(first), ...machines.slice(0, first)]
    pass(
      client,
      inTurn.filter((machine) => healthy.has(machine)),
    )
  })
  server.listen(port, host)
  await once(server, 'listening')

  const watch = async (machine: string, name: string) => {
    for (;;) {
      if (await answersHealth(machine, machinePort, name)) healthy.add(machine)
      else healthy.delete(machine)
      await sleep(CHECK_MS)
    }
  }
  if (checks !== undefined) for (const machine of machines) void watch(machine, checks)

  return {
    /** Waits until all machines get connections. */
    waitForAll: async () => {
      const deadline = performance.now() + WAIT_MS
      while (healthy.size < machines.length) {
        if (performance.now() > deadline)
          throw new Error(`only ${healthy.size} of ${machines.length} machines are healthy`)
        await sleep(50)
      }
    },
  }
}

function answersHealth(host: string, port: number, servername: string): Promise<boolean> {
  const agent = new Agent({ keepAlive: false })
  return new Promise((resolve) => {
    const options = { host, port, servername, path: '/health', agent, timeout: TIMEOUT_MS }
    const request = get(options, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
  })
}
