/**
 * Load balancer in front of several servers: passes the bytes of each connection to the next server in turn, so TLS ends
 * at the servers. Each connection comes from an address of its own, as from many clients.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type RoundRobinProxy = Awaited<ReturnType<typeof startRoundRobinProxy>>

/** @param ports of the servers, which can be changed later: a connection that cannot be passed on is closed */
export async function startRoundRobinProxy(ports: readonly number[]) {
  const sockets = new Set<Socket>()
  let targets = [...ports]
  let next = 0
  const server = createServer((socket) => {
    const port = targets[next++ % targets.length]
    if (port === undefined) return void socket.destroy()
    const localAddress = `127.1.${(next >> 8) & 0xff}.${next & 0xff}`
    const upstream = connect({ port, host: '127.0.0.1', localAddress })
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
