/**
 * The origin of `origin.ts` behind Node's TLS server, as `origin/service.ts` serves it, and clients that send raw
 * bytes.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { serve } from '@hono/node-server'
import {
  CONNECTION_OPTIONS,
  protectConnections,
} from '../../../origin/http/connection/protect-connections.ts'
import type { OriginApp } from '../../../origin/http/operation.ts'
import { loadTls } from '../../../origin/tls.ts'
import { CONNECTIONS_MAX } from '../../../shared/limits.ts'
import type { Sending, Sent } from './body-sender.ts'

export type Served = { port: number; server: Server; close: () => Promise<void> }

export async function serveOrigin(
  app: OriginApp,
  connectionsMax = CONNECTIONS_MAX,
): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-served-'))
  const { key, cert } = await loadTls(folder)
  const server = serve({
    fetch: app.fetch,
    port: 0,
    hostname: '127.0.0.1',
    createServer,
    serverOptions: { key, cert, minVersion: 'TLSv1.3', ...CONNECTION_OPTIONS },
  }) as Server
  protectConnections(server, connectionsMax)
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    server,
    close: async () => {
      server.closeAllConnections()
      server.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Starts a hostile sender that waits for its order, so that the attack does not include the CPU time of the start. */
export async function hostileSender(): Promise<{ send: (sending: Sending) => Promise<Sent> }> {
  const entry = fileURLToPath(new URL('body-sender.ts', import.meta.url))
  const child: ChildProcess = fork(entry, { execArgv: ['--disable-warning=ExperimentalWarning'] })
  await once(child, 'message')
  return {
    send: async (sending) => {
      child.send(sending)
      const failed = once(child, 'exit').then(() => Promise.reject(new Error('the sender failed')))
      failed.catch(() => {})
      const [sent] = await Promise.race([once(child, 'message'), failed])
      return sent as Sent
    },
  }
}

/** One request over a raw connection. */
export class RawRequest {
  readonly socket: TLSSocket
  readonly closed: Promise<void>
  received = ''

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    this.socket.setEncoding('utf8')
    this.socket.on('data', (data) => (this.received += data)).on('error', () => {})
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()))
  }

  /** Sends text or bytes, each part as a separate TLS record. */
  async send(...parts: (string | Uint8Array)[]): Promise<this> {
    for (const part of parts) await new Promise((resolve) => this.socket.write(part, resolve))
    return this
  }

  /** Returns the response once its body is complete. */
  async answer(): Promise<{ status: number; head: string; body: any }> {
    for (;;) {
      const [head = '', rest] = this.received
        .replace(/^HTTP\/1\.1 100 .*\r\n\r\n/, '')
        .split('\r\n\r\n')
      const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? Number.NaN)
      if (rest !== undefined && Buffer.byteLength(rest) >= length)
        return { status: Number(head.slice(9, 12)), head, body: JSON.parse(rest) }
      if (this.socket.destroyed) throw new Error(`closed without an answer: ${this.received}`)
      await Promise.race([once(this.socket, 'data'), this.closed])
    }
  }
}

export const head = (method: string, path: string, ...headers: string[]) =>
  [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    ...headers,
    '',
    '',
  ].join('\r\n')

export const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
