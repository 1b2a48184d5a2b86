import { once } from 'node:events'
import { createServer, type Server } from 'node:http'

const CHALLENGE = /^\/\.well-known\/acme-challenge\/([A-Za-z0-9_-]{1,256})$/
/** Time for a request, which is a single packet. */
const REQUEST_TIMEOUT_MS = 5_000
const CONNECTIONS_MAX = 256
const HEAD_MAX_BYTES = 8 * 1024

/**
 * Starts a server for HTTP-01 challenges (RFC 8555, 8.3). The response to a challenge consists of its token and the
 * account key's thumbprint, so the server needs no state, and answers the challenges of all machines with the same
 * account: the ACME server may reach any of them. The response authorizes only this account. To use it, an attacker
 * needs the account's private key.
 */
export async function startChallengeServer(
  thumbprint: string,
  { port, host }: { port: number; host: string },
): Promise<Server> {
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: REQUEST_TIMEOUT_MS,
      maxHeaderSize: HEAD_MAX_BYTES,
    },
    ({ method, url = '' }, response) => {
      const token = CHALLENGE.exec(url)?.[1]
      const headers = {
        connection: 'close',
        'content-type': 'application/octet-stream',
        'x-content-type-options': 'nosniff',
      }
      if (method !== 'GET' || token === undefined) response.writeHead(404, headers).end()
      else response.writeHead(200, headers).end(`${token}.${thumbprint}`)
    },
  )
  server.maxConnections = CONNECTIONS_MAX
  server.listen(port, host)
  await once(server, 'listening')
  return server
}
