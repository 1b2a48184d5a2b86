import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Context } from 'hono'
import { BODY_WITHIN_MS } from '../../../shared/limits.ts'
import { ConnectionLimit } from './connection-limit.ts'
import { connectionOf, MeteredRequest, PacedResponse } from './metered-request.ts'
import { PacedConnection } from './paced-connection.ts'
import { ParseTurns } from './parse-turns.ts'

/** Options of Node's HTTPS server that protect it from its clients. Use them with `protectConnections`. */
export const CONNECTION_OPTIONS = {
  IncomingMessage: MeteredRequest,
  ServerResponse: PacedResponse,
  /**
   * Time limit for bodies that the app does not read. Bodies that it reads time out earlier, with a structured error.
   */
  requestTimeout: BODY_WITHIN_MS + 15_000,
  handshakeTimeout: 10_000,
}

/**
 * Limits the server's open connections and paces the parsing of their requests. Call it before the first connection.
 * @param connectionsMax maximum number of open connections
 */
export function protectConnections(server: Server, connectionsMax: number): void {
  const limit = new ConnectionLimit(connectionsMax)
  const turns = new ParseTurns()
  const acceptSocket = takeListener(server, 'connection')
  server.on('connection', (socket: Socket) => {
    if (limit.admit(socket)) acceptSocket(socket)
    else socket.destroy()
  })
  const acceptConnection = takeListener(server, 'secureConnection')
  server.on('secureConnection', (tls: TLSSocket) => {
    acceptConnection(new PacedConnection(tls, turns, (holder) => limit.trust(tls, holder)))
  })
}

/** Marks the client of a request as authenticated. @param holder the account's hash, or `EDGE` */
export function trustConnection(context: Context, holder: string): void {
  const { incoming } = (context.env ?? {}) as { incoming?: { socket?: unknown } }
  if (incoming) connectionOf(incoming)?.trust(holder)
}

/** Removes and returns the listener that Node's server registered for an event. */
function takeListener(server: Server, event: string): (connection: unknown) => void {
  const [own] = server.listeners(event)
  server.removeAllListeners(event)
  return (connection) => own!.call(server, connection)
}
