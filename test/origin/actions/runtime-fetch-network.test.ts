import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { sameAsNode } from './same-as-node.ts'
import { sharedPool } from './sandbox.ts'

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://server')
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString('base64')
    const { method, headers } = request
    const mine = Object.entries(headers).filter(([name]) => /^(x-|content-type)/.test(name))
    if (pathname === '/echo') response.end(JSON.stringify({ method, body, mine }))
    else if (pathname === '/status') {
      response.statusMessage = 'Said So'
      response.writeHead(
        Number(searchParams.get('is')),
        [
          ['X-A', '1'],
          ['x-a', '2'],
          ['Set-Cookie', 'a=1'],
          ['Set-Cookie', 'b=2'],
        ].flat(),
      )
      response.end()
    } else if (pathname === '/bytes')
      response.end(Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0x00, 0x61]))
    else if (pathname === '/to') {
      response.writeHead(Number(searchParams.get('is')), { location: '/echo#there' })
      response.end('moved')
    } else if (pathname === '/never') response.flushHeaders()
    else request.socket.destroy()
  })
})
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
const { port } = server.address() as AddressInfo
const base = `http://127.0.0.1:${port}`
const outbound = { allow: [{ host: '127.0.0.1', port }], deny: [] }
const sandbox = sharedPool({ min: 1, max: 1, outbound })
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** The properties of a response that a program can observe. */
const SHOWN = `const shown = async (response) => [response.status, response.ok, response.statusText, response.redirected,
  response.url, response.type, response.headers.get('x-a'), response.headers.getSetCookie(), await response.text()]`

describe('fetch from a server', () => {
  it('sends methods, headers and bodies as Node does', () =>
    sameAsNode(
      sandbox,
      [
        {},
        { method: 'POST', body: 'é', headers: { 'X-One': ' 1 ' } },
        {
          method: 'put',
          body: '',
          headers: [
            ['x-a', '1'],
            ['X-A', '2'],
          ],
        },
        { method: 'DELETE', headers: { 'Content-Type': 'a/b' }, body: '\ud800' },
        { method: 'HEAD' },
        {
          method: 'OPTIONS',
          credentials: 'include',
          mode: 'cors',
          cache: 'reload',
          keepalive: false,
        },
      ].map((init) => ({ init, url: `${base}/echo` })),
      async ({ init, url }) => {
        const response = await fetch(url, init as RequestInit)
        return [response.status, await response.text(), response.bodyUsed]
      },
    ))

  it('sends every kind of body as Node does', () =>
    sameAsNode(
      sandbox,
      [0, 1, 2, 3, 4].map((kind) => ({ kind, url: `${base}/echo` })),
      async ({ kind, url }) => {
        const bytes = new Uint8Array([0, 1, 255, 128])
        const body = [
          new URLSearchParams('a=é&b= '),
          bytes,
          bytes.subarray(1, 3),
          bytes.buffer,
          new DataView(bytes.buffer, 2),
        ][kind]
        const sent = new Request(url, { method: 'POST', body: body as unknown as string })
        const response = await fetch(sent)
        return [await response.json(), sent.bodyUsed]
      },
    ))

  it('reads statuses, headers and bodies as Node does', () =>
    sameAsNode(
      sandbox,
      [
        '/status?is=200',
        '/status?is=404',
        '/status?is=503',
        '/status?is=204',
        '/status?is=304',
        '/bytes',
      ].map((path) => ({ url: base + path })),
      async ({ url }) => {
        const response = await fetch(url)
        const { status, ok, statusText, redirected, type, headers } = response
        const bytes = [...new Uint8Array(await response.clone().arrayBuffer())]
        return [
          status,
          ok,
          statusText,
          redirected,
          response.url,
          type,
          headers.get('x-a'),
          headers.getSetCookie(),
          bytes,
          await response.text(),
        ]
      },
    ))

  it('handles redirects as Node does', () =>
    sameAsNode(
      sandbox,
      [301, 302, 303, 307, 308].flatMap((status) =>
        (['follow', 'manual', 'error'] as const).map((redirect) => ({
          redirect,
          url: `${base}/to?is=${status}`,
        })),
      ),
      async ({ redirect, url }) => {
        const response = await fetch(url, { method: 'POST', body: 'b', redirect })
        const { status, redirected, headers } = response
        return [status, redirected, response.url, headers.get('location'), await response.text()]
      },
    ))

  it('rejects as Node does if the server hangs up or the action aborts', () =>
    sameAsNode(
      sandbox,
      ['/gone', '/never'].map((path) => ({ url: base + path })),
      async ({ url }) => {
        const response = await fetch(url, { signal: AbortSignal.timeout(300) })
        return response.text()
      },
    ))

  it('lets a run finish after its response arrived', async () => {
    const code = `async function main({ url }) { return (await fetch(url)).status }`
    expect(await sandbox.value(code, { url: `${base}/echo` })).toBe(200)
  })

  it('exposes only complete responses to a patched then, and no host function', async () => {
    const code = `${SHOWN}
      async function main({ url }) {
        const seen = []
        Promise.prototype.then = new Proxy(Promise.prototype.then, {
          apply(target, self, args) { seen.push(typeof self); return Reflect.apply(target, self, args) } })
        return [(await shown(await fetch(url)))[0], seen.every((kind) => kind === 'object')]
      }`
    expect(await sandbox.value(code, { url: `${base}/echo` })).toEqual([200, true])
  })
})
