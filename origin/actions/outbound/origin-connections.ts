import type { Client } from 'undici'

/**
 * The connections of one run to one origin. A request takes the most recently used one, or opens another. undici's own
 * pool would consider a connection busy until the event loop turn after its response, and so would open a second
 * connection for the second of two consecutive requests.
 */
export class OriginConnections {
  readonly #connect: () => Client
  readonly #all: Client[] = []
  readonly #idle: Client[] = []

  constructor(connect: () => Client) {
    this.#connect = connect
  }

  /** @param fresh requires a connection that has never been used */
  take({ fresh }: { fresh: boolean }): { client: Client; used: boolean } {
    const idle = fresh ? undefined : this.#idle.pop()
    if (idle !== undefined) return { client: idle, used: true }
    const client = this.#connect()
    this.#all.push(client)
    return { client, used: false }
  }

  /** Called when a response has ended, successfully or not. A broken connection is reopened by the next request. */
  giveBack(client: Client): void {
    this.#idle.push(client)
  }

  close(): void {
    for (const client of this.#all) void client.destroy()
  }
}
