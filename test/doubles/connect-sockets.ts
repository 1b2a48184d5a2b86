import type { Socket } from 'node:net'

/**
 * Passes bytes between two sockets until either of them ends.
 * @param open contains the sockets while they are open
 */
export function connectSockets(client: Socket, server: Socket, open: Set<Socket>): void {
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    open.add(one)
    // Otherwise, small packets would wait for the acknowledgement of earlier ones.
    one.setNoDelay(true)
    one.on('error', () => other.destroy())
    one.on('close', () => {
      open.delete(one)
      other.destroySoon()
    })
    one.pipe(other)
  }
}
