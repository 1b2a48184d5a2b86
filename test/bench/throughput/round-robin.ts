import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export type RoundRobin = {
  port: number
  /** Replaces the targets, and closes the connections to the previous ones. */
  use(ports: readonly number[]): void
  close(): void
}

/** A proxy that passes each TCP connection on to the next of its targets, and does not terminate TLS. */
export async function startRoundRobin(): Promise<RoundRobin> {
  const open = new Set<Socket>()
  let targets: readonly number[] = []
  let next = 0
  const server = createServer((client) => {
    const port = targets[next++ % targets.length]
    if (port === undefined) return client.destroy()
    const target = connect(port, '127.0.0.1')
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      open.add(socket)
      socket.setNoDelay(true)
      socket.pipe(other)
      socket.on('error', () => {})
      socket.once('close', () => {
        open.delete(socket)
        other.destroy()
      })
    }
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const closeAll = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    use: (ports) => {
      targets = ports
      closeAll()
    },
    close: () => {
      server.close()
      closeAll()
    },
  }
}
