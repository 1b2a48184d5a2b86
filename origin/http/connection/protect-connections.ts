import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Context } from 'hono'
import { BODY_TIMEOUT_MS } from '../../../shared/limits.ts'
import { ConnectionLimit } from './connection-limit.ts'
import { pacedConnectionOf, MeteredRequest, PacedResponse } from './metered-request.ts'
import { PacedConnection } from './paced-connection.ts'
import { ParseScheduler } from './parse-scheduler.ts'

export const CONNECTION_OPTIONS = {
  IncomingMessage: MeteredRequest,
  ServerResponse: PacedResponse,
  /**
   * Time limit for bodies that the app does not read. Bodies that the app reads time out earlier, with a structured
   * error.
   */
  requestTimeout: BODY_TIMEOUT_MS + 15_000,
  handshakeTimeout: 10_000,
}

/** Must be called before the first connection. */
export function protectConnections(server: Server, connectionsMax: number): void {
  const limit = new ConnectionLimit(connectionsMax)
  const scheduler = new ParseScheduler()
  const acceptSocket = takeListener(server, 'connection')
  server.on('connection', (socket: Socket) => {
    if (limit.admit(socket)) acceptSocket(socket)
    else socket.destroy()
  })
  const acceptConnection = takeListener(server, 'secureConnection')
  server.on('secureConnection', (tls: TLSSocket) => {
    acceptConnection(new PacedConnection(tls, scheduler, (holder) => limit.trust(tls, holder)))
  })
}

/** @param holder the account's hash, or `EDGE_HOLDER` */
export function trustConnection(context: Context, holder: string): void {
  const { incoming } = (context.env ?? {}) as { incoming?: { socket?: unknown } }
  if (incoming) pacedConnectionOf(incoming)?.trust(holder)
}

function takeListener(server: Server, event: string): (connection: unknown) => void {
  const [own] = server.listeners(event)
  server.removeAllListeners(event)
  return (connection) => own!.call(server, connection)
}
