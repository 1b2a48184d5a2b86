import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ERROR_CODES } from '../../../shared/errors/error-codes.ts'
import { CORE_BODY_MAX_BYTES } from '../../../shared/limits.ts'
import { startOrigin, type TestOrigin } from './origin.ts'

let origin: TestOrigin
let key: string
beforeAll(async () => {
  origin = await startOrigin()
  key = await origin.account()
})
afterAll(() => origin.close())

const ACCOUNT = { account_name: 'a', account_description: '' }
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const POSTS = [
  'new_account',
  'create_wallet',
  'add_group',
  'add_usage_api_key',
  'svc_action',
  'get_svc_action_ipfs_id',
]

describe.each(POSTS.map((name) => ({ name })))('POST $name', ({ name }) => {
  it('returns 400 for invalid JSON', async () => {
    for (const text of ['{', '{"a":}', '\u0000', 'undefined', '{}{}']) {
      const answer = await origin.core(name, { key, text })
      expect([text, answer.status, answer.body.error]).toEqual([text, 400, 'bad_request'])
    }
  })

  it('returns 422 for JSON of another type', async () => {
    for (const body of [null, [], 5, true])
      expect((await origin.core(name, { key, body })).status).toBe(422)
  })

  it('returns 415 for another content type', async () => {
    for (const type of ['text/html', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      const answer = await origin.core(name, { key, text: '{}', headers: { 'content-type': type } })
      expect([answer.status, answer.body.error]).toEqual([415, 'unsupported_media_type'])
    }
  })

  it('returns 413 for a body above the limit, with or without a declared length', async () => {
    const stream = () =>
      new ReadableStream({
        start(controller) {
          const megabyte = new Uint8Array(1024 * 1024).fill(32)
          for (let sent = 0; sent <= CORE_BODY_MAX_BYTES; sent += megabyte.length)
            controller.enqueue(megabyte)
          controller.close()
        },
      })
    const request = (init: RequestInit) =>
      origin.app.request(`/core/v1/${name}`, { method: 'POST', ...init })
    const declared = { 'content-length': String(CORE_BODY_MAX_BYTES + 1), 'x-api-key': key }
    expect((await request({ body: '{}', headers: declared })).status).toBe(413)
    const streamed = { body: stream(), headers: { 'x-api-key': key }, duplex: 'half' as const }
    expect((await request(streamed)).status).toBe(413)
  })

  it('attack: rejects a body with thousands of members unread', async () => {
    const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`key ${n}`, 0]))
    const answer = await origin.core('new_account', { body: keys })
    expect([answer.status, answer.body.error]).toEqual([413, 'payload_too_large'])
    const text = JSON.stringify(keys)
    const cid = await origin.core('get_svc_action_ipfs_id', { text })
    expect([cid.status, cid.body.message]).toEqual([422, 'body: expected a string'])
  })

  it('attack: does not hold large bodies without a key, which get 401 first', async () => {
    let pulled = 0
    const body = new ReadableStream({
      pull(stream) {
        if (++pulled > 1_000) return stream.close()
        stream.enqueue(new Uint8Array(64 * 1024).fill(32))
      },
    })
    const init = { method: 'POST', body, duplex: 'half' as const }
    expect((await origin.app.request('/core/v1/svc_action', init)).status).toBe(401)
    expect(pulled).toBeLessThan(5)
  })

  it('returns 400 for bytes that are not UTF-8', async () => {
    const bytes = Uint8Array.from([...Buffer.from('{"group_name":"'), 0xff, 0xfe, 0x22, 0x7d])
    const headers = { 'content-type': 'application/json', 'x-api-key': key }
    const init = { method: 'POST', headers, body: bytes }
    expect((await origin.app.request('/core/v1/add_group', init)).status).toBe(400)
  })

  it('returns 405 for other methods, and lists the allowed one', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await origin.core(name, { method, key })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    }
  })
})

describe('an unknown path or a wrong method', () => {
  it.each([
    '/',
    '/core/v1',
    '/core/v1/',
    '/core/v1/nothing',
    '/core/v2/new_account',
    '/core/v1/new_account/',
    '/core/v1/__proto__',
    '/sealed',
    '/.svc/root.key',
    '/core/v1/%e0%a4%a',
    '/evidences/..%2f..%2froot.key',
  ])('is 404: %s', async (path) => {
    const answer = await origin.call(path)
    expect([answer.status, answer.body.error]).toEqual([404, 'not_found'])
  })

  it('is 405 for a POST to a GET endpoint', async () => {
    for (const path of ['/core/v1/account_exists', '/get_node_chain_config', '/health']) {
      const answer = await origin.call(path, { body: {} })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
    }
  })
})

describe('every error', () => {
  it('has exactly error, message, fix and docs_url', async () => {
    const answers = await Promise.all([
      origin.core('svc_action', { body: {} }),
      origin.core('svc_action', { key, text: '{' }),
      origin.core('svc_action', { key, body: {} }),
      origin.core('nothing', {}),
      origin.core('svc_action', { method: 'PUT' }),
      origin.call('/sealed/execute', { text: 'x' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([401, 400, 422, 404, 405, 400])
    for (const { body } of answers) {
      expect(Object.keys(body).toSorted()).toEqual(['docs_url', 'error', 'fix', 'message'])
      expect(Object.values(body).every((text) => typeof text === 'string' && text !== '')).toBe(
        true,
      )
      expect(body.docs_url).toBe(`https://origin.test/docs/errors#${body.error}`)
    }
  })

  it('has a docs_url that leads to its code, on a self-contained page of this origin', async () => {
    const response = await origin.app.request('https://origin.test/docs/errors')
    expect(response.status).toBe(200)
    const page = await response.text()
    const words = Object.keys(ERROR_CODES)
    expect(words.filter((word) => !page.includes(`<h3 id="${word}">`))).toEqual([])
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page).not.toMatch(/<script|href="(?!#)/)
  })

  it('is 500 if it was not foreseen, without details for the caller or request data in the log', async () => {
    const app = origin.appThatCannotWrite(new Error('canary-in-the-message'))
    const answer = await origin.core('new_account', { app, body: ACCOUNT })
    expect([answer.status, answer.body.error]).toEqual([500, 'internal_error'])
    expect(JSON.stringify(answer.body)).not.toContain('canary')
    const logged = origin.logs.find(({ event }) => event === 'request.failed')
    expect(logged?.facts.request_id).toBe(answer.headers.get('x-request-id'))
    expect(logged?.facts.cause).toMatch(/^Error at .*protocol\.test\.ts/)
    expect(JSON.stringify(origin.logs)).not.toContain('canary')
  })
})

describe('every response', () => {
  it('has a unique x-request-id, including rejections', async () => {
    const answers = await Promise.all([
      origin.call('/health'),
      origin.call('/nothing'),
      origin.core('svc_action', { body: {} }),
      origin.core('svc_action', { method: 'OPTIONS' }),
      origin.call('/sealed/execute', { text: 'x' }),
    ])
    const ids = answers.map(({ headers }) => headers.get('x-request-id') ?? '')
    for (const id of ids) expect(id).toMatch(UUID)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('ignores an x-request-id from the client', async () => {
    const answer = await origin.call('/health', { headers: { 'x-request-id': 'mine' } })
    expect(answer.headers.get('x-request-id')).toMatch(UUID)
  })

  it('echoes x-correlation-id, truncated to 255 characters', async () => {
    const echoed = async (id: string) =>
      (await origin.call('/nothing', { headers: { 'x-correlation-id': id } })).headers.get(
        'x-correlation-id',
      )
    expect(await echoed('order-17')).toBe('order-17')
    expect(await echoed('x'.repeat(300))).toBe('x'.repeat(255))
    expect((await origin.call('/health')).headers.has('x-correlation-id')).toBe(false)
  })
})

describe('a page of another origin', () => {
  const from = { origin: 'https://elsewhere.example' }

  it('may call the core API without credentials, with the headers that it needs', async () => {
    const headers = {
      ...from,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-api-key,content-type',
    }
    const { status, headers: answer } = await origin.core('svc_action', {
      method: 'OPTIONS',
      headers,
    })
    expect(status).toBe(204)
    expect(answer.get('access-control-allow-origin')).toBe('*')
    expect(answer.get('access-control-allow-headers')).toBe(
      'Authorization,X-Api-Key,X-Wallet-Auth,Idempotency-Key,Content-Type',
    )
    expect(answer.has('access-control-allow-credentials')).toBe(false)
  })

  it('may read responses and rejections, and the headers that explain them', async () => {
    const answers = await Promise.all([
      origin.core('account_exists', { key, headers: from }),
      origin.core('svc_action', { body: {}, headers: from }),
      origin.core('nothing', { headers: from }),
      origin.call('/get_node_chain_config', { headers: from }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 200])
    for (const { headers } of answers) {
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-expose-headers')).toBe(
        'x-request-id,x-svc-error,retry-after,x-total-count,x-svc-receipt',
      )
    }
  })
})
