import type { Client } from 'undici'

/**
 * Connections of one run to one origin. A request uses the most recently used idle connection, or opens a new one.
 * undici's own pool is not used: it considers a connection busy until the event loop turn after the response, and would
 * open a second connection for two consecutive requests.
 */
export class OriginConnections {
  readonly #connect: () => Client
  readonly #all: Client[] = []
  readonly #idle: Client[] = []

  constructor(connect: () => Client) {
    this.#connect = connect
  }

  /** Returns an idle connection, or a new one if `fresh` is set or no connection is idle. */
  take({ fresh }: { fresh: boolean }): { client: Client; used: boolean } {
    const idle = fresh ? undefined : this.#idle.pop()
    if (idle !== undefined) return { client: idle, used: true }
    const client = this.#connect()
    this.#all.push(client)
    return { client, used: false }
  }

  /**
   * Makes a connection available to other requests. Must be called when a response has ended, successfully or not. If
   * the connection is broken, undici reopens it for the next request.
   */
  release(client: Client): void {
    this.#idle.push(client)
  }

  close(): void {
    for (const client of this.#all) void client.destroy()
  }
}
