import { afterAll, describe, expect, it } from 'vitest'
import { OUTBOUND_REQUESTS_MAX, OUTBOUND_RESPONSE_MAX_BYTES } from '../../../shared/limits.ts'
import { startWebServer } from '../../doubles/web-server.ts'
import { failed, returned, sharedPool } from './sandbox.ts'

/** Responds to `/bytes?n` with n bytes and to `/hop?n` with n redirects, and counts the requests. */
const server = await startWebServer((request, response) => {
  const { pathname, search } = new URL(request.url, 'http://server')
  const n = Number(search.slice(1))
  if (pathname === '/hop' && n > 0) response.writeHead(302, { location: `/hop?${n - 1}` })
  response.end(pathname === '/bytes' ? Buffer.alloc(n, 'x') : 'end')
})
afterAll(() => server.close())
const sandbox = sharedPool({
  min: 1,
  max: 2,
  outbound: { allow: [{ host: '127.0.0.1', port: server.port }], deny: [] },
})
const ORIGIN = `const ORIGIN = 'http://127.0.0.1:${server.port}';`

/** Returns the number of requests that reached the server during `run`. */
async function reached(run: () => Promise<unknown>): Promise<number> {
  const before = server.received.length
  await run()
  return server.received.length - before
}

describe('outbound requests of one run', () => {
  const serial = (n: number) => `${ORIGIN} async function main() {
    for (let i = 0; i < ${n}; i++) await (await fetch(ORIGIN + '/')).text()
    return 'done'
  }`
  const parallel = (n: number) => `${ORIGIN} async function main() {
    await Promise.all(Array.from({ length: ${n} }, () => fetch(ORIGIN + '/')))
    return 'done'
  }`

  it.each([
    ['one after the other', serial],
    ['at once', parallel],
  ])('are limited to fifty, made %s', async (_how, code) => {
    const fifty = await sandbox.run(code(OUTBOUND_REQUESTS_MAX))
    expect(returned(fifty).value).toBe('"done"')
    const more = async () => {
      expect(failed(await sandbox.run(code(OUTBOUND_REQUESTS_MAX + 1))).code).toBe('outbound_limit')
    }
    expect(await reached(more)).toBeLessThanOrEqual(OUTBOUND_REQUESTS_MAX)
  })

  it('are counted including redirects', async () => {
    const code = (hops: number) => `${ORIGIN} async function main() {
      for (let i = 0; i < 10; i++) await fetch(ORIGIN + '/hop?4')
      return (await fetch(ORIGIN + '/hop?${hops}', { redirect: 'manual' })).status
    }`
    expect(failed(await sandbox.run(code(1))).code).toBe('outbound_limit')
    const forty = code(1).replace('i < 10', 'i < 9')
    expect(returned(await sandbox.run(forty)).value).toBe('302')
  })

  it('are counted from zero in the next run', async () => {
    for (let run = 0; run < 2; run++)
      expect(returned(await sandbox.run(serial(OUTBOUND_REQUESTS_MAX))).value).toBe('"done"')
  })

  it('flood: rejects all but fifty of a thousand concurrent requests, and the run continues', async () => {
    const code = `${ORIGIN} async function main() {
      const all = await Promise.allSettled(Array.from({ length: 1000 }, () => fetch(ORIGIN + '/')))
      return all.filter(({ reason }) => reason?.code === 'outbound_limit').length
    }`
    const flood = async () => expect(await sandbox.value(code)).toBe(950)
    expect(await reached(flood)).toBe(OUTBOUND_REQUESTS_MAX)
  })
})

describe('an outbound response', () => {
  const size = (n: number) => `${ORIGIN} async function main() {
    const response = await fetch(ORIGIN + '/bytes?${n}')
    return (await response.arrayBuffer()).byteLength
  }`

  it('can have a million bytes, but not one more', async () => {
    const most = OUTBOUND_RESPONSE_MAX_BYTES
    expect(returned(await sandbox.run(size(most))).value).toBe(String(most))
    expect(failed(await sandbox.run(size(most + 1))).code).toBe('outbound_response_too_large')
  })

  it('that is too large causes an error that the action can catch', async () => {
    const code = `${ORIGIN} async function main() {
      try { await fetch(ORIGIN + '/bytes?1000001') } catch (error) { return [error.name, error.code] }
    }`
    expect(await sandbox.value(code)).toEqual(['TypeError', 'outbound_response_too_large'])
  })

  it('of the maximum size can be read fifty times if the action keeps none of them', async () => {
    const code = `${ORIGIN} async function main() {
      let bytes = 0
      for (let i = 0; i < 50; i++) bytes += (await (await fetch(ORIGIN + '/bytes?1000000')).text()).length
      return bytes
    }`
    expect(await sandbox.value(code)).toBe(50_000_000)
  })
})
