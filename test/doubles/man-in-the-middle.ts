/**
 * Man in the middle: terminates TLS between the edge and its origin with its own key and a certificate for the origin's
 * name from the CA that the edge trusts, as with a misissued certificate, a hijacked name or a gateway. It forwards and
 * records everything, and can alter and repeat messages.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Agent, createServer, request as send } from 'node:https'
import type { AddressInfo } from 'node:net'
import { authorityOf } from './certificates.ts'

export type Direction = 'request' | 'answer'

/** @returns the replacement bytes */
export type Alter = (direction: Direction, path: string, body: Buffer) => Buffer

export type Exchange = { method: string; path: string; request: Buffer; answer: Buffer }

const UNKNOWN_CHANNEL_KEY = 421

export type ManInTheMiddle = Awaited<ReturnType<typeof startManInTheMiddle>>

/** @param target URL of the origin, resolved late */
export async function startManInTheMiddle(stateDir: string, target: () => string) {
  const authority = await authorityOf(stateDir)
  const own = await authority.issue({ names: ['localhost'] })
  const agent = new Agent({ keepAlive: true, ca: authority.pem })
  const exchanges: Exchange[] = []
  /** All bytes inside TLS in both directions: request lines, headers and bodies. */
  const seen: Buffer[] = []
  let alter: Alter | undefined
  let lieAbout: string | undefined

  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url = '/', rawHeaders } = request
    const body = await bytesOf(request)
    seen.push(Buffer.from([method, url, ...rawHeaders].join('\n')), body)
    const altered = alter ? alter('request', url, body) : body
    const answer = await ask(target(), agent, { method, path: url, rawHeaders, body: altered })
    seen.push(Buffer.from(answer.rawHeaders.join('\n')))
    const head = withoutLength(answer.rawHeaders)
    const exchange: Exchange = { method, path: url, request: body, answer: Buffer.alloc(0) }
    exchanges.push(exchange)
    if (url === lieAbout) {
      lieAbout = undefined
      exchange.answer = await bytesOf(answer)
      return void response.writeHead(UNKNOWN_CHANNEL_KEY).end()
    }
    response.writeHead(answer.statusCode ?? 502, head)
    const chunks: Buffer[] = []
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      // Forwards chunks as they arrive: single padding bytes keep a connection open.
      if (!alter) response.write(chunk)
    }
    exchange.answer = Buffer.concat(chunks)
    seen.push(exchange.answer)
    response.end(alter ? alter('answer', url, exchange.answer) : undefined)
  }
  const server = createServer({ ...own, minVersion: 'TLSv1.3' }, (request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = 120_000
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo

  return {
    url: `https://localhost:${port}`,
    exchanges,
    /** Everything recorded, as one binary string. */
    seen: () => Buffer.concat(seen).toString('latin1'),
    /** Sets an alteration; `undefined` forwards unchanged. */
    use: (next: Alter | undefined) => {
      alter = next
    },
    /** Forwards the next request to a path, and answers as if the origin could not open it. */
    lieOnce: (path: string) => {
      lieAbout = path
    },
    /** Sends a recorded request to the origin again. */
    repeat: async ({ method, path, request }: Exchange) => {
      const rawHeaders = ['content-type', 'application/vnd.svc.sealed']
      const answer = await ask(target(), agent, { method, path, rawHeaders, body: request })
      return { status: answer.statusCode ?? 0, body: await bytesOf(answer) }
    },
    close: async () => {
      agent.destroy()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

type Passed = { method: string; path: string; rawHeaders: string[]; body: Buffer }

function ask(target: string, agent: Agent, passed: Passed): Promise<IncomingMessage> {
  const { method, path, rawHeaders, body } = passed
  const { hostname, port } = new URL(target)
  const headers = { ...fieldsIn(withoutLength(rawHeaders)), 'content-length': body.length }
  return new Promise((resolve, reject) => {
    const request = send({ agent, hostname, port, method, path, headers }, resolve)
    request.once('error', reject)
    request.end(body)
  })
}

/** Removes headers that apply to one connection only. */
function withoutLength(rawHeaders: readonly string[]): string[] {
  const own = new Set(['content-length', 'transfer-encoding', 'connection', 'keep-alive'])
  return rawHeaders.filter((_, n) => !own.has(rawHeaders[n - (n % 2)]!.toLowerCase()))
}

function fieldsIn(rawHeaders: readonly string[]): Record<string, string> {
  const fields: Record<string, string> = {}
  for (let n = 0; n < rawHeaders.length; n += 2)
    fields[rawHeaders[n]!.toLowerCase()] = rawHeaders[n + 1]!
  return fields
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}
