import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOriginApp } from '../../../origin/app.ts'
import { replayIds } from '../../../origin/db/schema.ts'
import { SEALED_HEAD_MAX_BYTES } from '../../../shared/limits.ts'
import { encodeFrame, SEALED_HTTP_PATH } from '../../../shared/wire/sealed-http.ts'
import { SEALED_EXECUTE_PATH } from '../../../shared/wire/sealed.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { passOn, sealHttp, sealText, sendHttp } from './sealed-http-client.ts'

let origin: TestOrigin
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await origin.account()
})
afterAll(() => origin.close())

const action = (code: string, headers: [string, string][] = []) => ({
  method: 'POST',
  path: '/core/v1/svc_action',
  headers: [['x-api-key', key], ['content-type', 'application/json'], ...headers] as [
    string,
    string,
  ][],
  body: JSON.stringify({ code }),
})
const balance = async () => (await origin.core('billing/balance', { key })).body.balance_cents

describe('replay', () => {
  it('a captured envelope is executed once', async () => {
    const sealed = await sealHttp(origin, action('const main = () => 1'))
    const before = await balance()
    const answers = [await sendHttp(origin, sealed), await sendHttp(origin, sealed)]
    expect(answers).toMatchObject([
      { state: 'answered', status: 200 },
      { state: 'refused', status: 409, error: 'request_replayed' },
    ])
    expect(await balance()).toBe(before - 1)
  })

  it('only one of three identical envelopes at once is executed', async () => {
    const sealed = await sealHttp(origin, {
      method: 'POST',
      path: '/core/v1/create_wallet',
      headers: [['x-api-key', key]],
    })
    const answers = await Promise.all([1, 2, 3].map(() => sendHttp(origin, sealed)))
    const states = answers.map((answer) => ('state' in answer ? answer.state : ''))
    expect(states.filter((state) => state === 'answered')).toHaveLength(1)
    expect(states.filter((state) => state === 'refused')).toHaveLength(2)
  })

  it('an envelope for one endpoint opens at no other', async () => {
    const forHttp = await sealHttp(origin, action('const main = () => 1'))
    expect(await sendHttp(origin, forHttp, { sentTo: SEALED_EXECUTE_PATH })).toEqual({
      unsealed: 400,
    })
    const fields = {
      credential: { api_key: key },
      code: 'const main = () => 1',
      js_params: {},
      wait_ms: 0,
    }
    const forRuns = await origin.seal(SEALED_EXECUTE_PATH, fields)
    expect((await origin.post(SEALED_HTTP_PATH, forRuns.body)).status).toBe(400)
  })

  it('a request for another endpoint is invalid when it is sealed for this one', async () => {
    const fields = { credential: { api_key: key }, code: 'x', js_params: {}, wait_ms: 0 }
    const sealed = await origin.seal(SEALED_HTTP_PATH, fields)
    expect(await sendHttp(origin, sealed)).toMatchObject({ state: 'refused', status: 400 })
  })

  it('stale or future: a request outside its time window is rejected', async () => {
    const now = origin.services.now()
    for (const head of [
      { issued_at: now - 61_000, expires_at: now - 1_000 },
      { issued_at: now + 40_000, expires_at: now + 90_000 },
      { issued_at: now, expires_at: now + 61_000 },
    ])
      expect(await passOn(origin, { head })).toMatchObject({
        status: 400,
        reason: 'request_not_fresh',
      })
  })
})

describe('a sender without the pre-shared key', () => {
  it('cannot pass requests on in base mode, and so cannot name an address', async () => {
    const answer = await passOn(origin, action('const main = () => 1'), { mode: 'base' })
    expect(answer).toMatchObject({ state: 'refused', status: 403 })
  })

  it('is rejected with another pre-shared key', async () => {
    const { body } = await sealHttp(origin, {})
    const channel = {
      ...origin.services.channel,
      keys: { ...origin.services.channel.keys, psk: new Uint8Array(32) },
    }
    const app = createOriginApp({ ...origin.services, channel })
    expect((await app.request(SEALED_HTTP_PATH, { method: 'POST', body })).status).toBe(401)
  })

  it('gets 421 for an old envelope after a key rotation, and has to seal again', async () => {
    const { body } = await sealHttp(origin, {})
    const keys = { ...origin.services.channel.keys, keyFor: () => undefined }
    const app = createOriginApp({
      ...origin.services,
      channel: { ...origin.services.channel, keys },
    })
    expect((await app.request(SEALED_HTTP_PATH, { method: 'POST', body })).status).toBe(421)
  })
})

describe('a compromised edge', () => {
  const refused = (field: string) => ({
    state: 'refused',
    status: 400,
    message: expect.stringMatching(new RegExp(`^${field}\\b`)),
  })

  it.each([
    '/sealed/http',
    '/sealed/execute',
    '/sealed/outcomes',
    '/health',
    '/',
    '',
    'core/v1/version',
    '//evil.test/core/v1/version',
    'https://evil.test/core/v1/version',
    '/core/v1/../../sealed/execute',
    '/core/v1/%2e%2e/%2e%2e/health',
    '/core/v1/..%2f..%2fhealth',
    '/core/v1/version?x',
    '/core/v1/version#x',
    '/core/v1/version\r\nx: y',
    '/core/v1/version\u0000',
    '/core/v1/@evil.test:1/',
    '/core/v1\\..\\..\\health',
  ])('reaches no paths except those that are passed on: %j', async (path) => {
    expect(await passOn(origin, { path })).toMatchObject(refused('path'))
  })

  it.each(['?\r\nx', '?a b', 'a=b', '?#', '/../x', '?\u0000', '?ü'])(
    'cannot break out of the query: %j',
    async (query) => {
      expect(await passOn(origin, { query })).toMatchObject(refused('query'))
    },
  )

  it.each<[string, string]>([
    ['x-a', 'b\r\nx-api-key: other'],
    ['x-a', 'b\nc'],
    ['x-a', '\u0000'],
    ['x-a', 'ü\u0100'],
    ['x a', 'b'],
    ['x-a:', 'b'],
    ['', 'b'],
    ['X-A', 'b'],
    ['host', 'evil.test'],
    ['content-length', '5'],
    ['transfer-encoding', 'chunked'],
    ['connection', 'upgrade'],
    ['upgrade', 'websocket'],
    ['cookie', 'a=b'],
    ['x-forwarded-for', '198.51.100.1'],
    ['cf-connecting-ip', '198.51.100.1'],
    ['forwarded', 'for=198.51.100.1'],
  ])(
    'cannot send headers of the connection or headers that name an address: %j: %j',
    async (...header) => {
      expect(await passOn(origin, { headers: [header] })).toMatchObject(refused('headers'))
    },
  )

  it.each(['CONNECT', 'TRACE', 'get', 'X', 'GET /x HTTP/1.1\r\n'])(
    'cannot use another method: %j',
    async (method) => {
      expect(await passOn(origin, { method })).toMatchObject(refused('method'))
    },
  )

  it('gets nothing without the caller’s own key', async () => {
    const answer = await passOn(origin, { path: '/core/v1/list_wallets' })
    expect([answer.state, answer.status]).toEqual(['answered', 401])
  })

  it('causes no 500 with truncated bytes, without a head, or with a head that is too long or not JSON', async () => {
    const texts = [
      new Uint8Array(),
      Uint8Array.of(0, 0, 0),
      Uint8Array.of(0xff, 0xff, 0xff, 0xff),
      Uint8Array.of(0xff, 0xfe, 0, 0, 0, 2),
      new Uint8Array(Buffer.concat([Buffer.from('[]'), Buffer.of(0, 0, 0, 2)])),
      new Uint8Array(Buffer.concat([Buffer.from('{"a":'), Buffer.of(0, 0, 0, 5)])),
      encodeFrame(new Uint8Array(), 0, { long: 'x'.repeat(SEALED_HEAD_MAX_BYTES) }),
      encodeFrame(new Uint8Array(), 0, JSON.parse('{"__proto__":{"method":"GET"}}')),
    ]
    for (const text of texts) {
      const answer = await sendHttp(origin, await sealText(origin, text))
      expect(answer).toMatchObject({ state: 'refused' })
      expect([400, 422]).toContain('status' in answer && answer.status)
    }
    expect(origin.logs.filter(({ event }) => event === 'sealed.failed')).toEqual([])
  })
})

describe('secrets', () => {
  it('a key that was passed on is in no log and in no table', async () => {
    await passOn(origin, action('const main = () => { throw new Error("x") }'))
    await passOn(origin, { path: '/core/v1/nothing', headers: [['x-api-key', key]] })
    expect(JSON.stringify(origin.logs)).not.toContain(key)
    const rows = await origin.database.db.select().from(replayIds)
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(key)
    const kept = await origin.database.db.execute(sql`select * from kept_answers`)
    expect(JSON.stringify(kept)).not.toContain(key)
  })
})

describe('a broken connection', () => {
  it('cancels nothing that was started, and charges it once', async () => {
    const server = await new Promise<ReturnType<typeof createServer>>((listening) => {
      const started = serve(
        { fetch: origin.app.fetch, port: 0, createServer, hostname: '127.0.0.1' },
        () => listening(started as ReturnType<typeof createServer>),
      )
    })
    const { port } = server.address() as AddressInfo
    const before = await balance()
    const code = 'const main = () => new Promise((done) => setTimeout(done, 600))'
    const { body } = await sealHttp(origin, action(code, [['idempotency-key', 'cut']]))
    const gone = new AbortController()
    const sent = fetch(`http://127.0.0.1:${port}${SEALED_HTTP_PATH}`, {
      method: 'POST',
      body,
      signal: gone.signal,
    }).catch(() => 'gone')
    await new Promise((resume) => setTimeout(resume, 300))
    gone.abort()
    expect(await sent).toBe('gone')
    await new Promise((resume) => setTimeout(resume, 800))
    // The client retries under its key, and gets the response of the first request.
    const again = await passOn(origin, action(code, [['idempotency-key', 'cut']]))
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(await balance()).toBe(before - 1)
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  })
})
