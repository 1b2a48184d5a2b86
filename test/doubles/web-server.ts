/** Local servers for tests: regular HTTP, and raw sockets that send any bytes. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import {
  createServer as createRawServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net'

export type Received = {
  method: string
  url: string
  headers: Record<string, string | string[] | undefined>
  rawHeaders: string[]
  body: string
}

/** Answers a request after its body was read. */
export type Respond = (request: Received, response: ServerResponse) => void

export type WebServer = Awaited<ReturnType<typeof startWebServer>>
export type Certificate = { key: string; cert: string }

/** @param certificate serves HTTPS instead of HTTP */
export async function startWebServer(
  respond: Respond,
  { host = '127.0.0.1', certificate }: { host?: string; certificate?: Certificate } = {},
) {
  const received: Received[] = []
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = request
      const one = { method, url, headers, rawHeaders, body: Buffer.concat(parts).toString() }
      received.push(one)
      respond(one, response)
    })
  }
  const server = certificate ? createSecureServer(certificate, listener) : createServer(listener)
  // Longer than workerd keeps connections. Otherwise a request could be sent on a connection that is just being closed.
  server.keepAliveTimeout = 120_000
  let connections = 0
  server.on('connection', () => connections++)
  server.on('tlsClientError', () => {})
  const port = await listen(server, host)
  return {
    port,
    received,
    connections: () => connections,
    close: () => {
      server.closeAllConnections()
      return new Promise<void>((closed) => server.close(() => closed()))
    },
  }
}

/** @param speak called on each connection once a whole request header has arrived */
export async function startRawServer(speak: (socket: Socket) => void, host = '127.0.0.1') {
  const sockets = new Set<Socket>()
  const server = createRawServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    let heard = ''
    socket.on('data', (part) => {
      heard += part.toString('latin1')
      if (!heard.includes('\r\n\r\n')) return
      heard = ''
      speak(socket)
    })
  })
  const port = await listen(server, host)
  return {
    port,
    open: () => sockets.size,
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>((closed) => server.close(() => closed()))
    },
  }
}

async function listen(server: Server, host: string): Promise<number> {
  await new Promise<void>((listening) => server.listen(0, host, listening))
  return (server.address() as AddressInfo).port
}
