import { describe, expect, it } from 'vitest'
import { Outbound } from '../../../origin/actions/outbound/outbound.ts'
import type { Received } from '../../doubles/web-server.ts'
import { startRawServer, startWebServer } from '../../doubles/web-server.ts'
import { answered, ask, closedAfterwards, refused, runWith, serving, textOf } from './requests.ts'

const echo = () => serving((request, response) => response.end(JSON.stringify(request)))
const receivedIn = (text: string) => JSON.parse(text) as Received

describe('a request', () => {
  it('arrives with method, path, query, headers and body unchanged', async () => {
    const { run, url } = await echo()
    const headers: [string, string][] = [
      ['X-Own', ' a b '],
      ['Content-Type', 'application/json'],
    ]
    const answer = await answered(run, `${url}/a%20b?c=d&e=%2F#f`, {
      method: 'PATCH',
      headers,
      body: '{"ü":1}',
    })
    expect(receivedIn(textOf(answer))).toMatchObject({
      method: 'PATCH',
      url: '/a%20b?c=d&e=%2F',
      body: '{"ü":1}',
      headers: { 'x-own': 'a b', 'content-type': 'application/json', 'content-length': '8' },
    })
  })

  it('identifies itself, lists accepted encodings, and reveals nothing about the host', async () => {
    const { server, run, url } = await echo()
    const { headers } = receivedIn(textOf(await answered(run, url)))
    expect(headers).toEqual({
      host: `127.0.0.1:${server.port}`,
      connection: 'keep-alive',
      accept: '*/*',
      'user-agent': 'svc-action/1',
      'accept-encoding': 'gzip, deflate, br',
    })
  })

  it('can set its own user agent and accept headers', async () => {
    const { run, url } = await echo()
    const headers: [string, string][] = [
      ['User-Agent', 'mine/2'],
      ['Accept', 'text/html'],
    ]
    const received = receivedIn(textOf(await answered(run, url, { headers })))
    expect(received.headers).toMatchObject({ 'user-agent': 'mine/2', accept: 'text/html' })
  })

  it('preserves non-ASCII header bytes in both directions', async () => {
    const { run, url } = await serving((request, response) =>
      response.setHeader('x-back', String(request.headers['x-own'])).end(),
    )
    const { value } = await answered(run, url, { headers: [['x-own', 'caf\u00e9']] })
    expect(value.headers).toContainEqual(['x-back', 'caf\u00e9'])
  })

  it.each(['get', 'Post', 'HEAD', 'delete', 'options', 'put', 'PATCH', 'REPORT'])(
    'with the method %s is sent',
    async (method) => {
      const { server, run, url } = await echo()
      await answered(run, url, { method })
      expect(server.received[0]?.method).toBe(method.toUpperCase())
    },
  )

  it.each([
    'CONNECT',
    'connect',
    'TRACE',
    'Track',
    '',
    'GET / HTTP/1.1\r\nx: y',
    'GÉT',
    'A B',
    'X'.repeat(33),
  ])('with the method %j is rejected', async (method) => {
    const { server, run, url } = await echo()
    await refused(run, url, { method })
    expect(server.received).toEqual([])
  })

  it.each(['GET', 'HEAD'])('%s with a body is rejected', async (method) => {
    const { run, url } = await echo()
    expect((await refused(run, url, { method, body: 'x' })).message).toBe(
      `a ${method} request cannot have a body`,
    )
  })

  it('body is copied before the call returns: the caller can reuse its memory', async () => {
    const { run, url } = await echo()
    const body = Buffer.from('first')
    const answer = answered(run, url, { method: 'POST', body })
    body.fill('x')
    expect(receivedIn(textOf(await answer)).body).toBe('first')
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['an empty object', {}],
    ['no headers', { url: 'x', method: 'GET', redirect: 'follow' }],
    ['headers as an object', { url: 'x', method: 'GET', redirect: 'follow', headers: { a: 'b' } }],
    ['headers of numbers', { url: 'x', method: 'GET', redirect: 'follow', headers: [['a', 1]] }],
    ['a header alone', { url: 'x', method: 'GET', redirect: 'follow', headers: [['a']] }],
    ['another redirect mode', { url: 'x', method: 'GET', redirect: 'maybe', headers: [] }],
    ['a URL that is no text', { url: {}, method: 'GET', redirect: 'follow', headers: [] }],
  ])('that the prelude would not send (%s) is rejected', async (_what, request) => {
    const { run } = await echo()
    const answer = await run.fetch(request, new Uint8Array(0), new AbortController().signal)
    expect(answer.ok).toBe(false)
    expect(!answer.ok && answer.message).not.toBe('the request failed')
  })
})

describe('header smuggling', () => {
  it.each([
    ['a line break', 'a\r\nx-evil: 1'],
    ['a line feed', 'a\nx-evil: 1'],
    ['a carriage return', 'a\rx-evil: 1'],
    ['a whole second request', 'a\r\n\r\nGET /evil HTTP/1.1\r\nhost: x'],
    ['NUL', 'a\0b'],
    ['another control character', 'a\u0001b'],
    ['a character whose low byte is a line feed', 'a\u010ax-evil: 1'],
    ['a character whose low byte is a carriage return', 'a\u560d\u560ax-evil: 1'],
  ])('%s in a value is rejected', async (_what, value) => {
    const { server, run, url } = await echo()
    const { message } = await refused(run, url, { headers: [['x-own', value]] })
    expect(message).toBe('the header x-own has an invalid value')
    expect(server.received).toEqual([])
  })

  it.each(['', 'a b', 'a:b', 'a\r\nb', 'ä', 'a\0', '(a)'])(
    'the name %j is rejected',
    async (name) => {
      const { server, run, url } = await echo()
      const { message } = await refused(run, url, { headers: [[name, 'x']] })
      expect(message).toBe('a header has an invalid name')
      expect(server.received).toEqual([])
    },
  )

  it.each([
    ['Host', 'evil.example'],
    ['Content-Length', '0'],
    ['Transfer-Encoding', 'chunked'],
    ['Connection', 'upgrade'],
    ['Keep-Alive', 'timeout=9'],
    ['Upgrade', 'websocket'],
    ['HTTP2-Settings', 'x'],
    ['TE', 'trailers'],
    ['Trailer', 'x'],
    ['Expect', '100-continue'],
    ['Proxy-Authorization', 'Basic x'],
    ['Proxy-Connection', 'close'],
    ['Sec-Fetch-Site', 'none'],
    ['Accept-Encoding', 'zstd'],
  ])('%s is set only by the host', async (name, value) => {
    const { server, run, url } = await echo()
    const plain = receivedIn(textOf(await answered(run, url, { method: 'POST', body: 'data' })))
    const headers: [string, string][] = [[name, value]]
    await answered(run, url, { method: 'POST', body: 'data', headers })
    expect(server.received[1]).toEqual(plain)
  })

  it('a path cannot contain a line break', async () => {
    const { server, run, url } = await echo()
    await answered(run, `${url}/a\r\nb?c\nd%0d%0ae`)
    expect(server.received[0]?.url).toBe('/ab?cd%0d%0ae')
  })
})

describe('a response', () => {
  it('has status, text, headers and the URL without its fragment', async () => {
    const { run, url } = await serving((_request, response) =>
      response.writeHead(404, 'Not Here', { 'X-Own': 'yes' }).end('gone'),
    )
    const answer = await answered(run, `${url}/a?b#c`)
    expect(answer.value).toMatchObject({
      status: 404,
      statusText: 'Not Here',
      url: `${url}/a?b`,
      redirected: false,
    })
    expect(answer.value.headers).toContainEqual(['x-own', 'yes'])
    expect(textOf(answer)).toBe('gone')
  })

  it('shows every cookie, and the next request sends none of them', async () => {
    const { server, run, url } = await serving((_request, response) =>
      response.setHeader('set-cookie', ['a=1', 'b=2; Secure']).end(),
    )
    const { value } = await answered(run, url)
    expect(value.headers.filter(([name]) => name === 'set-cookie')).toEqual([
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2; Secure'],
    ])
    await answered(run, url)
    expect(server.received[1]?.headers.cookie).toBeUndefined()
  })
})

describe('connections', () => {
  it('are reused between the requests of a run', async () => {
    const { server, run, url } = await echo()
    for (let i = 0; i < 5; i++) await answered(run, url)
    expect(server.connections()).toBe(1)
  })

  it('of one run are not reused by the next', async () => {
    const server = closedAfterwards(await startWebServer((_request, response) => response.end()))
    const url = `http://127.0.0.1:${server.port}/`
    const allow = [{ host: '127.0.0.1', port: server.port }]
    const outbound = new Outbound({ allow, deny: [] })
    for (let i = 0; i < 3; i++) {
      const run = outbound.forRun()
      await answered(run, url)
      run.close()
    }
    expect(server.connections()).toBe(3)
  })

  it('are reopened if the server has closed them', async () => {
    const { server, run, url } = await serving((_request, response) =>
      response.setHeader('connection', 'close').end(),
    )
    await answered(run, url)
    await answered(run, url)
    expect(server.connections()).toBe(2)
  })
})

describe('an abort', () => {
  it('ends the request without affecting the run', async () => {
    const { run, url } = await serving((request, response) => {
      if (request.url !== '/hang') response.end('on')
    })
    const abort = new AbortController()
    const hanging = ask(run, `${url}/hang`, { signal: abort.signal })
    setTimeout(() => abort.abort(), 30)
    expect(await hanging).toEqual({ ok: false, message: 'the request was aborted' })
    expect(textOf(await answered(run, url))).toBe('on')
  })

  it('before the call prevents the request', async () => {
    const { server, run, url } = await echo()
    await refused(run, url, { signal: AbortSignal.abort() })
    expect(server.received).toEqual([])
  })

  it('of a queued request does not affect the others', async () => {
    const { server, run, url } = await serving((request, response) => {
      if (request.url === '/hold') setTimeout(() => response.end(), 100)
      else response.end()
    })
    const holding = Array.from({ length: 10 }, () => ask(run, `${url}/hold`))
    const abort = new AbortController()
    const waiting = ask(run, `${url}/never`, { signal: abort.signal })
    const behind = ask(run, `${url}/behind`)
    abort.abort()
    expect((await waiting).ok).toBe(false)
    expect((await Promise.all([...holding, behind])).every(({ ok }) => ok)).toBe(true)
    expect(server.received.map((request) => request.url)).not.toContain('/never')
  })

  it('by the end of the run ends all its requests and connections, and no new request starts', async () => {
    const { server, run, url } = await serving(() => {})
    const hanging = Array.from({ length: 15 }, () => ask(run, url))
    await expect.poll(() => server.received.length).toBe(10)
    run.close()
    const answers = await Promise.all(hanging)
    expect(
      answers.every((answer) => !answer.ok && answer.message === 'the request was aborted'),
    ).toBe(true)
    await refused(run, url)
    expect(server.received).toHaveLength(10)
  })
})

describe('a server that closes its connections after each response without announcing it', () => {
  const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi'

  it('gets idempotent requests again over a new connection', async () => {
    const server = closedAfterwards(await startRawServer((socket) => socket.end(OK)))
    const run = runWith([server.port])
    for (let n = 0; n < 20; n++)
      expect(textOf(await answered(run, `http://127.0.0.1:${server.port}/`))).toBe('hi')
    expect(run.count).toBe(20)
  })

  it('does not get a POST twice', async () => {
    let sent = 0
    const server = closedAfterwards(
      await startRawServer((socket) => {
        sent++
        socket.end(OK)
      }),
    )
    const run = runWith([server.port])
    const url = `http://127.0.0.1:${server.port}/`
    for (let n = 0; n < 5; n++) await ask(run, url, { method: 'POST', body: 'pay' })
    expect(sent).toBeLessThanOrEqual(5)
  })
})
