import { readSync, writeSync } from 'node:fs'
import type { Socket } from 'node:net'
import { Client } from 'pg'
import { type Answer, AnswerReader } from './answer-reader.ts'

/** Plans and their costs must not depend on how long the server has been running. */
const SETTINGS = 'set jit = off; set synchronous_commit = off; set statement_timeout = 30000'

/** Node's socket handle, with the undocumented members that are needed here. */
type Handle = {
  fd: number
  setBlocking(isBlocking: boolean): void
  readStart(): void
  readStop(): void
}

/**
 * A connection to Postgres with queries that block the thread, so that nothing else happens between a query and its
 * response. pg connects and authenticates. Then the socket's descriptor is made blocking, and queries bypass the event
 * loop.
 */
export class SyncConnection {
  readonly #client: Client
  readonly #handle: Handle
  readonly #chunk = Buffer.allocUnsafe(64 * 1024)

  private constructor(client: Client, handle: Handle) {
    this.#client = client
    this.#handle = handle
  }

  static async open(url: string): Promise<SyncConnection> {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(SETTINGS)
    const { _handle: handle } = client.connection.stream as Socket & { _handle: Handle }
    handle.readStop()
    handle.setBlocking(true)
    return new SyncConnection(client, handle)
  }

  /** Runs the statements of a string. Values stay text, so that the production driver parses them. */
  query(text: string): Answer {
    const message = Buffer.allocUnsafe(Buffer.byteLength(text) + 6)
    message.write('Q')
    message.writeInt32BE(message.length - 1, 1)
    message.write(text, 5)
    message[message.length - 1] = 0
    for (let sent = 0; sent < message.length;) sent += writeSync(this.#handle.fd, message, sent)
    const reader = new AnswerReader()
    while (!reader.isComplete) {
      const length = readSync(this.#handle.fd, this.#chunk)
      if (length === 0) throw new Error('the database closed the connection')
      reader.add(this.#chunk.subarray(0, length))
    }
    return reader.answer
  }

  async close(): Promise<void> {
    this.#handle.setBlocking(false)
    this.#handle.readStart()
    await this.#client.end()
  }
}
