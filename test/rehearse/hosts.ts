/** The hosts of the rehearsal, each with a loopback address of its own. */
import { connect, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { once } from 'node:events'
import { connectSockets } from '../doubles/connect-sockets.ts'
import type { Certificate } from '../doubles/web-server.ts'

export const HOSTS = {
  'origin.rehearsal.example': '127.0.0.10',
  'edge.rehearsal.example': '127.0.0.20',
  'rpc-1.rehearsal.example': '127.0.0.31',
  'rpc-2.rehearsal.example': '127.0.0.32',
  'rpc-3.rehearsal.example': '127.0.0.33',
  'pccs.rehearsal.example': '127.0.0.40',
  'acme-v02.api.letsencrypt.org': '127.0.0.41',
  'api.stripe.com': '127.0.0.42',
} as const
export type Host = keyof typeof HOSTS

export const ORIGIN: Host = 'origin.rehearsal.example'
export const EDGE: Host = 'edge.rehearsal.example'
export const ORIGIN_URL = `https://${ORIGIN}`
export const EDGE_URL = `https://${EDGE}`
export const RPC_HOSTS = ['rpc-1', 'rpc-2', 'rpc-3'].map(
  (name) => `${name}.rehearsal.example` as Host,
)
export const RPC_URLS = RPC_HOSTS.map((host) => `https://${host}`)

/** Addresses of the machines behind the name of the origin. */
export const MACHINES = ['127.0.0.11', '127.0.0.12'] as const

export function hostsFile(): string {
  const lines = Object.entries(HOSTS).map(([name, address]) => `${address} ${name}`)
  return ['127.0.0.1 localhost', ...lines, ''].join('\n')
}

export type Listener = { close(): Promise<void> }
type Target = { host?: string; port: number }

/** Terminates TLS at port 443 of a host, and forwards the bytes. */
export async function startTlsFront(
  host: Host,
  certificate: Certificate,
  target: Target,
): Promise<Listener> {
  const open = new Set<Socket>()
  const server = createTlsServer(certificate, (client) =>
    connectSockets(client, connect(target), open),
  )
  server.on('tlsClientError', () => {})
  server.listen(443, HOSTS[host])
  await once(server, 'listening')
  return {
    close: () => {
      for (const socket of open) socket.destroy()
      return new Promise((closed) => server.close(() => closed()))
    },
  }
}
