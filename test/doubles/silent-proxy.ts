/** Proxy that can go silent, like the connection to a crashed machine: no data passes, and no connection is closed. */
import { connect, createServer, type Socket } from 'node:net'
import { once } from 'node:events'

export async function silentProxy(upstreamPort: number) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const upstream = connect(upstreamPort, '127.0.0.1')
    for (const end of [socket, upstream]) {
      sockets.add(end)
      end.on('error', () => {})
    }
    socket.pipe(upstream).pipe(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    /** Silences current connections. Later ones work. */
    silence: () => {
      for (const socket of sockets) socket.unpipe().pause()
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
