import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect as connectPlain } from 'node:net'
import { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { PacedConnection } from '../../../../origin/http/connection/paced-connection.ts'
import { ParseScheduler } from '../../../../origin/http/connection/parse-scheduler.ts'
import { startOrigin, type TestOrigin } from '../origin.ts'
import { chunk, head, RawRequest, type Served, serveOrigin } from '../served-origin.ts'

const CONNECTIONS_MAX = 20

let origin: TestOrigin
let served: Served
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  served = await serveOrigin(origin.app, CONNECTIONS_MAX)
  key = await origin.account()
})
afterAll(async () => {
  await served.close()
  await origin.close()
})

const SOURCE_PATH = '/core/v1/get_svc_action_ipfs_id'
const statusesOf = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)

async function answered(...parts: string[]): Promise<{ request: RawRequest; status: number }> {
  const request = new RawRequest(served.port)
  await request.send(...parts)
  return { request, status: (await request.answer()).status }
}

/** The bytes of a keyed request that runs a sleeping action. */
function sleepingRun(ms: number): string {
  const code = `const main = () => new Promise((resolve) => setTimeout(resolve, ${ms}))`
  const body = JSON.stringify({ code })
  const headers = [`X-Api-Key: ${key}`, `Content-Length: ${body.length}`]
  return head('POST', '/core/v1/svc_action', ...headers) + body
}

/** Counts the server's requests until it is stopped. */
function watchRequests() {
  const onRequest = (_: IncomingMessage, response: ServerResponse) => {
    watched.begun++
    watched.mostInFlight = Math.max(watched.mostInFlight, ++watched.inFlight)
    response.once('close', () => watched.inFlight--)
  }
  const stop = () => void served.server.off('request', onRequest)
  const watched = { begun: 0, inFlight: 0, mostInFlight: 0, stop }
  served.server.on('request', onRequest)
  return watched
}

describe('pipelined requests', () => {
  it('are answered in order', async () => {
    const request = new RawRequest(served.port)
    const paths = ['/core/v1/version', '/core/v1/nothing', '/core/v1/version', '/core/v1/nothing']
    await request.send(paths.map((path) => head('GET', path)).join(''))
    await expect.poll(() => statusesOf(request.received)).toEqual(['200', '404', '200', '404'])
    request.socket.destroy()
  })

  it('are answered wherever the bytes are split', async () => {
    const post = head('POST', SOURCE_PATH, 'Transfer-Encoding: chunked')
    const text = `${post}${chunk('"a')}${chunk('b"')}0\r\n\r\n${head('GET', '/core/v1/nothing')}`
    for (const size of [1, 2, 3, 7]) {
      const request = new RawRequest(served.port)
      const parts = Array.from({ length: Math.ceil(text.length / size) }, (_, n) =>
        text.slice(n * size, (n + 1) * size),
      )
      await request.send(...parts)
      await expect.poll(() => statusesOf(request.received)).toEqual(['200', '404'])
      request.socket.destroy()
    }
  })

  it('wait for the response to the previous request', async () => {
    const run = sleepingRun(300)
    const request = new RawRequest(served.port)
    await request.send(run + head('GET', '/core/v1/version'))
    const openedAt = Date.now()
    await expect
      .poll(() => statusesOf(request.received), { timeout: 5_000 })
      .toEqual(['200', '200'])
    expect(Date.now() - openedAt).toBeGreaterThanOrEqual(250)
    request.socket.destroy()
  })

  it('attack: with a Content-Length also start one after the other', async () => {
    const run = sleepingRun(1_000)
    const requests = watchRequests()
    const request = new RawRequest(served.port)
    await request.send(run.repeat(50))
    await expect.poll(() => requests.begun, { timeout: 10_000 }).toBeGreaterThan(1)
    requests.stop()
    expect(requests.mostInFlight).toBe(1)
    request.socket.destroy()
  })

  it('attack: do not start while responses to earlier ones are unread', async () => {
    const requests = watchRequests()
    const request = new RawRequest(served.port)
    request.socket.pause()
    void request.send(head('GET', '/core/v1/openapi.json').repeat(3_000))
    let before = -1
    await expect
      .poll(() => [before, (before = requests.begun)], { interval: 300, timeout: 10_000 })
      .toSatisfy(([earlier, now]: [number, number]) => now > 0 && earlier === now)
    // As many as the kernel's buffers hold.
    expect(requests.begun).toBeLessThan(500)
    requests.stop()
    request.socket.destroy()
  })
})

/** TLS with a client that reads parts of a response on demand. */
function slowTls() {
  const parts: { bytes: number; take: () => void }[] = []
  const write = (part: Buffer, _: string, take: () => void) =>
    void parts.push({ bytes: part.length, take })
  return { tls: new Duplex({ read: () => {}, write }), parts }
}

describe('a response', () => {
  afterEach(() => void vi.useRealTimers())

  it('may take as long as its client keeps reading', () => {
    vi.useFakeTimers()
    const { tls, parts } = slowTls()
    const connection = new PacedConnection(tls as TLSSocket, new ParseScheduler(), () => false)
    connection.write(Buffer.alloc(300_000))
    for (let n = 0; n < 5; n++) {
      vi.advanceTimersByTime(50_000)
      parts[n]!.take()
    }
    expect(tls.destroyed).toBe(false)
    expect(parts.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(300_000)
  })
})

describe('attack: an unread response', () => {
  afterEach(() => void vi.useRealTimers())

  it('closes its connection after a minute', () => {
    vi.useFakeTimers()
    const tls = new Duplex({ read: () => {}, write: () => {} })
    const connection = new PacedConnection(tls as TLSSocket, new ParseScheduler(), () => false)
    connection.write('HTTP/1.1 200 OK')
    vi.advanceTimersByTime(59_000)
    expect(tls.destroyed).toBe(false)
    vi.advanceTimersByTime(2_000)
    expect(tls.destroyed).toBe(true)
  })
})

describe('a client', () => {
  it('that closes its side cancels the requests behind the one in flight', async () => {
    const requests = watchRequests()
    const run = sleepingRun(60_000)
    const request = new RawRequest(served.port)
    await request.send(run.repeat(20))
    await expect.poll(() => requests.begun).toBe(1)
    request.socket.end()
    await expect.poll(() => requests.inFlight).toBe(0)
    requests.stop()
    expect(requests.begun).toBe(1)
  })

  it('that closes its side within a body is detected', async () => {
    let closed = 0
    const count = (incoming: IncomingMessage) => void incoming.once('close', () => closed++)
    served.server.on('request', count)
    const request = new RawRequest(served.port)
    request.socket.end(head('POST', SOURCE_PATH, 'Content-Length: 5') + '"a')
    await expect.poll(() => closed).toBe(1)
    served.server.off('request', count)
    await request.closed
  })

  it('that disconnects during its run is detected', async () => {
    const request = new RawRequest(served.port)
    const run = sleepingRun(60_000)
    await request.send(run)
    const connections = () =>
      new Promise<number>((resolve) => served.server.getConnections((_, count) => resolve(count)))
    // Connections of other tests close within the time for responses to disconnected clients.
    await expect.poll(connections, { timeout: 10_000 }).toBe(1)
    request.socket.destroy()
    await expect.poll(connections).toBe(0)
  })
})

describe('attack: idle connections from one address', () => {
  it('do not lock out new clients, and close no connection that has sent a key', async () => {
    const { request: keyed } = await answered(
      head('GET', '/core/v1/list_groups', `X-Api-Key: ${key}`),
    )
    const idle = Array.from({ length: 2 * CONNECTIONS_MAX }, () =>
      connectPlain(served.port, '127.0.0.1').on('error', () => {}),
    )
    await Promise.all(idle.slice(0, CONNECTIONS_MAX).map((socket) => once(socket, 'close')))
    const { request, status } = await answered(head('GET', '/core/v1/version'))
    expect(status).toBe(200)
    keyed.received = ''
    await keyed.send(head('GET', '/core/v1/list_groups', `X-Api-Key: ${key}`))
    expect((await keyed.answer()).status).toBe(200)
    for (const socket of [...idle, request.socket, keyed.socket]) socket.destroy()
  })
})
