/**
 * Load balancer in front of several servers: passes the bytes of each connection to the next server in turn, so TLS ends
 * at the servers. Each connection comes from an address of its own, as from many clients.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type RoundRobinProxy = Awaited<ReturnType<typeof startRoundRobinProxy>>

/** @param ports of the servers, which can be changed later: a connection that no server accepts is closed */
export async function startRoundRobinProxy(ports: readonly number[]) {
  const sockets = new Set<Socket>()
  let targets = [...ports]
  let turns = 0
  let next = 0
  /** Passes a connection to the first of these ports that accepts it. */
  const pass = (socket: Socket, [port, ...others]: number[]) => {
    if (port === undefined) return void socket.destroy()
    const turn = next++
    const localAddress = `127.1.${(turn >> 8) & 0xff}.${turn & 0xff}`
    const upstream = connect({ port, host: '127.0.0.1', localAddress })
    const tryOthers = () => pass(socket, others)
    upstream.once('error', tryOthers)
    upstream.once('connect', () => {
      upstream.off('error', tryOthers)
      join(socket, upstream)
    })
  }
  const join = (socket: Socket, upstream: Socket) => {
    for (const [end, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(end)
      end.on('error', () => other.destroy())
      end.on('close', () => {
        sockets.delete(end)
        other.destroySoon()
      })
    }
    socket.pipe(upstream).pipe(socket)
  }
  const server = createServer((socket) => {
    socket.on('error', () => {})
    const first = turns++ % targets.length
    pass(socket, [...targets.slice(first), ...targets.slice(0, first)])
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    /** Changes the servers for new connections. Open connections continue. */
    use: (changed: readonly number[]) => {
      targets = [...changed]
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
