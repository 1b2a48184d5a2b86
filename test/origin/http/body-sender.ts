/**
 * A hostile sender in a separate process, so that it does not share the measured thread. Receives a `Sending` and
 * returns a `Sent`, both as IPC messages.
 */
import { connect, type TLSSocket } from 'node:tls'

export type Sending = { port: number; connections: number } & (
  | {
      /**
       * Each connection sends `opening` once and then `block` repeatedly, for at least `forMs` and until its part of
       * `totalBytes` is sent. Closed connections are opened again.
       */
      kind: 'stream'
      opening: string
      block: string
      forMs: number
      totalBytes: number
    }
  /** Each connection sends `block`, reads nothing, and stays open for `holdMs`. */
  | { kind: 'unread'; block: string; holdMs: number }
  /** Each connection declares `bodyBytes`, sends all but one byte, and stays open for `holdMs`. */
  | { kind: 'stalled'; method: string; path: string; bodyBytes: number; holdMs: number }
)

/** `statuses` counts the responses by status. */
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

/** @returns true if the connection is still open */
async function send({ socket, gone }: Connection, data: Uint8Array | string): Promise<boolean> {
  sent.bytes += data.length
  if (!socket.write(data))
    await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), gone])
  return !socket.destroyed
}

type Of<Kind extends Sending['kind']> = Extract<Sending, { kind: Kind }>

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))

async function stream(sending: Of<'stream'>): Promise<void> {
  const { port, connections, opening, block, forMs, totalBytes } = sending
  const until = performance.now() + forMs
  let left = totalBytes / connections
  const goesOn = () => left > 0 || performance.now() < until
  const bytes = Buffer.from(block)
  while (goesOn()) {
    const connection = await open(port)
    await send(connection, opening)
    while (goesOn() && connection.socket.writable) {
      left -= bytes.length
      await Promise.race([send(connection, bytes), wait(until - performance.now())])
    }
    connection.socket.destroy()
  }
}

async function unread({ port, block, holdMs }: Of<'unread'>): Promise<void> {
  const connection = await open(port)
  connection.socket.pause()
  void send(connection, block)
  await wait(holdMs)
  connection.socket.destroy()
}

async function stalled({ port, method, path, bodyBytes, holdMs }: Of<'stalled'>): Promise<void> {
  const connection = await open(port)
  const block = Buffer.alloc(BLOCK_BYTES, 'x')
  const head = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`
  await send(connection, `${head}Content-Length: ${bodyBytes}\r\n\r\n`)
  for (let left = bodyBytes - 1; left > 0; left -= block.length)
    if (!(await send(connection, block.subarray(0, Math.min(left, block.length))))) break
  await Promise.race([connection.gone, wait(holdMs)])
  connection.socket.destroy()
}

function attackOnce(sending: Sending): Promise<void> {
  if (sending.kind === 'stream') return stream(sending)
  return sending.kind === 'unread' ? unread(sending) : stalled(sending)
}

async function run(sending: Sending): Promise<void> {
  await Promise.all(Array.from({ length: sending.connections }, () => attackOnce(sending)))
}

if (process.send) {
  process.once('message', (sending: Sending) => {
    void run(sending).then(() => process.send!(sent, undefined, undefined, () => process.exit()))
  })
  process.send('ready')
}
