/** `svc mcp` in this process, and its client. */
import { PassThrough } from 'node:stream'
import { Client } from '@modelcontextprotocol/client'
import { type Ran, type Surroundings, svc } from './command-line.ts'

export type Connection = {
  client: Client
  /** Writes raw bytes, bypassing the client. */
  write(this: void, bytes: string | Buffer): void
  /** Closes the server's input. */
  end(this: void): Promise<Ran>
}

/** Connects a client to the server's standard input and output. */
export async function connected(around: Surroundings, words: string[] = []): Promise<Connection> {
  const input = new PassThrough()
  let heard = ''
  const client = new Client({ name: 'test', version: '1' })
  const transport: Parameters<Client['connect']>[0] = {
    start: async () => {},
    send: async (message) => void input.write(`${JSON.stringify(message)}\n`),
    close: async () => {
      transport.onclose?.()
    },
  }
  const onWrite = (text: string) => {
    heard += text
    for (let end = heard.indexOf('\n'); end >= 0; end = heard.indexOf('\n')) {
      const line = heard.slice(0, end)
      heard = heard.slice(end + 1)
      transport.onmessage?.(JSON.parse(line))
    }
  }
  const ended = svc(['mcp', ...words], { ...around, input, onWrite })
  await client.connect(transport)
  return {
    client,
    write: (bytes) => void input.write(bytes),
    end: () => {
      input.end()
      return ended
    },
  }
}
