/**
 * A hostile sender in a process of its own, so that it does not share the thread that is measured. Its argument is a
 * `Sending` as JSON. Prints a `Sent` as JSON.
 */
import { connect, type TLSSocket } from 'node:tls'

export type Sending = {
  port: number
  method: string
  path: string
  connections: number
  /** On the wire, of all connections together. */
  totalBytes: number
} & (
  | { kind: 'chunks'; chunkBytes: number }
  /** Each connection declares `bodyBytes`, sends all but one byte, and stays open for `holdMs`. */
  | { kind: 'stalled'; bodyBytes: number; holdMs: number }
)

/** `statuses`: of the answers, with how often each came. */
export type Sent = { bytes: number; connections: number; statuses: Record<string, number> }

const BLOCK_BYTES = 64 * 1024

const sent: Sent = { bytes: 0, connections: 0, statuses: {} }

type Connection = { socket: TLSSocket; gone: Promise<void> }

async function open(port: number): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  let answer = ''
  socket.on('data', (data) => (answer += data)).on('error', () => {})
  void gone.then(() => {
    const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 'none'
    sent.statuses[status] = (sent.statuses[status] ?? 0) + 1
  })
  await Promise.race([new Promise((resolve) => socket.once('secureConnect', resolve)), gone])
  sent.connections++
  return { socket, gone }
}

/** @returns whether the connection still stands */
async function send({ socket, gone }: Connection, data: Uint8Array | string): Promise<boolean> {
  sent.bytes += data.length
  if (!socket.write(data))
    await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), gone])
  return !socket.destroyed
}

async function run(sending: Sending): Promise<void> {
  const { port, method, path, connections, totalBytes } = sending
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
  const chunked = async ({ chunkBytes }: { chunkBytes: number }) => {
    const chunk = `${chunkBytes.toString(16)}\r\n${'x'.repeat(chunkBytes)}\r\n`
    const block = Buffer.from(chunk.repeat(Math.ceil(BLOCK_BYTES / chunk.length)))
    const mine = totalBytes / connections
    // Refused, it comes back until it has sent its part.
    for (let left = mine; left > 0;) {
      const connection = await open(port)
      await send(connection, `${head}Transfer-Encoding: chunked\r\n\r\n`)
      while (left > 0 && connection.socket.writable) {
        left -= block.length
        await send(connection, block)
      }
      connection.socket.end('0\r\n\r\n')
      await connection.gone
    }
  }
  const stalled = async ({ bodyBytes, holdMs }: { bodyBytes: number; holdMs: number }) => {
    const connection = await open(port)
    const block = Buffer.alloc(BLOCK_BYTES, 'x')
    await send(connection, `${head}Content-Length: ${bodyBytes}\r\n\r\n`)
    for (let left = bodyBytes - 1; left > 0; left -= block.length)
      if (!(await send(connection, block.subarray(0, Math.min(left, block.length))))) break
    await Promise.race([connection.gone, new Promise((resolve) => setTimeout(resolve, holdMs))])
    connection.socket.destroy()
  }
  const one = () => (sending.kind === 'chunks' ? chunked(sending) : stalled(sending))
  await Promise.all(Array.from({ length: connections }, one))
}

if (process.send) {
  process.once('message', (sending: Sending) => {
    void run(sending).then(() => process.send!(sent, undefined, undefined, () => process.exit()))
  })
  process.send('ready')
}
