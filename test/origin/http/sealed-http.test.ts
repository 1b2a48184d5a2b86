import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NewAccountLimits } from '../../../origin/admission/new-account-limits.ts'
import { OverloadedError } from '../../../origin/admission/event-loop-load.ts'
import { createOriginApp } from '../../../origin/app.ts'
import type { OriginEnv } from '../../../origin/http/operation.ts'
import { operations } from '../../../origin/http/operations.ts'
import { mountSealedHttp } from '../../../origin/http/sealed-http.ts'
import { OPERATION_BODY_MAX_BYTES } from '../../../shared/limits.ts'
import { coreBodyMaxBytes } from '../../../shared/wire/core-routes.ts'
import { SEALED_HTTP_PATH } from '../../../shared/wire/sealed-http.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { passOn, sealHttp, sendHttp } from './sealed-http-client.ts'

let origin: TestOrigin
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await origin.account()
})
afterAll(() => origin.close())

const JSON_TYPE: [string, string] = ['content-type', 'application/json']
const keyed = (): [string, string][] => [['x-api-key', key], JSON_TYPE]
const post = (name: string, body: unknown, headers: [string, string][] = []) => ({
  method: 'POST',
  path: `/core/v1/${name}`,
  headers: [...keyed(), ...headers],
  body: JSON.stringify(body),
})

describe('a request inside the envelope gets the response of a direct one', () => {
  it('for a read, with its query and its headers', async () => {
    await origin.wallet(key)
    await origin.wallet(key)
    const query = '?page_number=1&page_size=1'
    const passed = await passOn(origin, { path: '/core/v1/list_wallets', query, headers: keyed() })
    const direct = await origin.call(`/core/v1/list_wallets${query}`, { key })
    expect([passed.state, passed.status, passed.body]).toEqual(['answered', 200, direct.body])
    for (const name of ['x-total-count', 'content-type', 'access-control-allow-origin'])
      expect(passed.headers.get(name)).toBe(direct.headers.get(name))
    expect(passed.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('for an action that returns, and for an action that throws', async () => {
    const ran = await passOn(
      origin,
      post('svc_action', { code: 'const main = ({ n }) => n * 2', js_params: { n: 21 } }),
    )
    expect([ran.status, ran.body]).toEqual([200, expect.objectContaining({ response: 42 })])
    const code = 'const main = () => { throw new Error("no") }'
    const threw = await passOn(origin, post('svc_action', { code }))
    expect([threw.status, threw.headers.get('x-svc-error')]).toEqual([500, 'action_threw'])
    expect(threw.body).toMatch(/^.*no/)
  })

  it('for rejections: 401, 404, 405, 415, 422', async () => {
    const status = async (request: object) => (await passOn(origin, request)).status
    expect(await status({ ...post('svc_action', {}), headers: [JSON_TYPE] })).toBe(401)
    expect(await status({ path: '/core/v1/nothing' })).toBe(404)
    expect(await status({ path: '/core/v1/svc_action' })).toBe(405)
    const typed = {
      ...post('svc_action', {}),
      headers: [...keyed().slice(0, 1), ['content-type', 'text/html']],
    }
    expect(await status(typed)).toBe(415)
    expect(await status(post('svc_action', {}))).toBe(422)
  })

  it.each(['a\u0001b', 'a\u000bb', '\u001f', 'a\u007f'])(
    'for a key with a control character, which is 401 like any unknown key: %j',
    async (text) => {
      for (const [name, value] of [
        ['x-api-key', text],
        ['authorization', `Bearer ${text}`],
      ] as const) {
        const { headers: _, ...write } = post('add_group', { name: 'x' })
        for (const request of [{ path: '/core/v1/list_groups' }, write]) {
          const { state, status, body } = await passOn(origin, {
            ...request,
            headers: [[name, value], JSON_TYPE],
          })
          expect([state, status, body.error]).toEqual(['answered', 401, 'unauthorized'])
        }
      }
    },
  )

  it('for a body above the operation’s own limit, which is 413 whatever length is claimed', async () => {
    const { status } = await passOn(origin, post('add_group', { name: 'x'.repeat(70_000) }))
    expect(status).toBe(413)
  })

  it('for HEAD, OPTIONS and an empty POST', async () => {
    const head = await passOn(origin, { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([200, ''])
    const preflight = await passOn(origin, {
      method: 'OPTIONS',
      path: '/core/v1/svc_action',
      headers: [['access-control-request-method', 'POST']],
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
      204,
      '*',
    ])
    const path = '/core/v1/create_wallet'
    const made = await passOn(origin, { method: 'POST', path, headers: [['x-api-key', key]] })
    expect(made.status).toBe(200)
  })

  it('for an Idempotency-Key, which applies to sealed and direct requests together', async () => {
    const headers: [string, string][] = [['idempotency-key', 'over both ways']]
    const first = await passOn(origin, post('create_wallet', {}, headers))
    const direct = await origin.core('create_wallet', {
      key,
      body: {},
      headers: { 'idempotency-key': 'over both ways' },
    })
    expect(direct.body).toEqual(first.body)
    const again = await passOn(origin, post('create_wallet', {}, headers))
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true'])
  })
})

describe('the client’s address', () => {
  const apps = () =>
    createOriginApp({
      ...origin.services,
      newAccountLimits: new NewAccountLimits({
        db: origin.database.db,
        now: origin.services.now,
        log: origin.services.log,
        hashKey: new Uint8Array(32).fill(3),
        burst: 2,
        perHour: 1,
        gasPerDayWei: undefined,
        gasPrice: async () => 0n,
      }),
    })
  const open = async (client_address: string, headers: [string, string][] = []) => {
    const body = { account_name: 'a', account_description: '' }
    const request = { ...post('new_account', body, headers), client_address }
    return (await passOn(origin, request, { app: apps() })).status
  }

  it('is the one in the envelope: each client of the edge has its own rate limit', async () => {
    expect([
      await open('203.0.113.1'),
      await open('203.0.113.1'),
      await open('203.0.113.1'),
    ]).toEqual([200, 200, 429])
    expect(await open('203.0.113.2')).toBe(200)
  })

  it('address forgery: is not taken from any header', async () => {
    for (let n = 0; n < 2; n++) await open('203.0.113.3')
    for (const name of ['x-envoy-external-address', 'fastly-client-ip', 'x-appengine-user-ip'])
      expect(await open('203.0.113.3', [[name, '198.51.100.1']])).toBe(429)
  })
})

describe('a slow request', () => {
  it('gets a byte from time to time, and then its response', async () => {
    const impatient = new Hono<OriginEnv>()
    mountSealedHttp(impatient, origin.services, 40)
    impatient.post('/core/v1/svc_action', (context) => origin.app.fetch(context.req.raw))
    const code = 'const main = () => new Promise((done) => setTimeout(() => done("late"), 400))'
    const { body, open } = await sealHttp(origin, post('svc_action', { code }))
    const response = await impatient.request(SEALED_HTTP_PATH, { method: 'POST', body })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const pads = bytes.findIndex((byte) => byte !== 0)
    expect(pads).toBeGreaterThanOrEqual(3)
    expect(Buffer.from(await open(bytes.subarray(pads))).toString()).toContain('"late"')
  })
})

describe('a node under load', () => {
  it('rejects a request with 429 before storing anything', async () => {
    const load = {
      requireRoom: () => {
        throw new OverloadedError('the event loop is delayed')
      },
    }
    const app = createOriginApp({ ...origin.services, load })
    const sealed = await sealHttp(origin, {})
    expect(await sendHttp(origin, sealed, { app })).toMatchObject({ state: 'refused', status: 429 })
    // Its request ID was not stored, so the same envelope can be sent again.
    expect(await sendHttp(origin, sealed)).toMatchObject({ state: 'answered', status: 200 })
  })
})

describe('the edge’s limit on the body of a request', () => {
  it('is the origin’s, for every operation', () => {
    for (const { path, body } of operations.filter((operation) => operation.body))
      expect([path, coreBodyMaxBytes(path)]).toEqual([
        path,
        body!.maxBytes ?? OPERATION_BODY_MAX_BYTES,
      ])
  })
})
