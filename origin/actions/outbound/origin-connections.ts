import type { Client } from 'undici'

/**
 * The connections of one run to one origin: a request takes the one that was used last, or makes another. undici's
 * own pool would take one for busy until the turn of the event loop after its response, and make a second connection
 * for the second of two requests in a row.
 */
export class OriginConnections {
  readonly #connect: () => Client
  readonly #all: Client[] = []
  readonly #idle: Client[] = []

  constructor(connect: () => Client) {
    this.#connect = connect
  }

  /** @param fresh not one that was used before */
  take({ fresh }: { fresh: boolean }): { client: Client; used: boolean } {
    const idle = fresh ? undefined : this.#idle.pop()
    if (idle !== undefined) return { client: idle, used: true }
    const client = this.#connect()
    this.#all.push(client)
    return { client, used: false }
  }

  /** The response has ended, one way or the other; a connection that broke is made anew with the next request. */
  giveBack(client: Client): void {
    this.#idle.push(client)
  }

  close(): void {
    for (const client of this.#all) void client.destroy()
  }
}
