import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  CORE_BODY_MAX_BYTES,
  OPERATION_BODY_MAX_BYTES,
  PROCESSOR_EVENT_MAX_BYTES,
  SEALED_IDLE_TIMEOUT_MS,
} from '../../../shared/limits.ts'
import { asHeader } from '../../doubles/core-script.ts'
import { edge, random } from '../app.ts'
import {
  asked,
  between,
  edgeWith,
  isEvidence,
  production,
  someKey,
  textOf,
} from './front-harness.ts'

afterEach(() => vi.restoreAllMocks())

const KEY = someKey()
const silent = () => vi.spyOn(console, 'error').mockImplementation(() => {})
const post = (body: BodyInit, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': 'application/json', ...headers },
})

describe('sealed requests', () => {
  it.each<[string, string, RequestInit]>([
    ['a POST without a key', '/core/v1/new_account', post('{}')],
    ['a POST with a key', '/core/v1/svc_action', post('{}', { 'x-api-key': KEY })],
    ['a GET with a key', '/core/v1/list_wallets', { headers: { 'x-api-key': KEY } }],
    [
      'a GET with a bearer',
      '/core/v1/list_wallets',
      { headers: { authorization: `Bearer ${KEY}` } },
    ],
    ['a wallet’s proof', '/core/v1/billing/balance', { headers: { 'x-wallet-auth': 'proof' } }],
    ['a wallet’s signature for a wallet', '/core/v1/create_wallet_with_signature', post('{}')],
    ['a wallet’s signature for a key', '/core/v1/add_usage_api_key_with_signature', post('{}')],
    [
      'a cap by a wallet’s proof',
      '/core/v1/update_usage_api_key',
      post('{}', { 'x-wallet-auth': 'proof' }),
    ],
    ['a key where none is needed', '/attestation', { headers: { 'x-api-key': 'x' } }],
    ['another method', '/core/v1/version', { method: 'DELETE' }],
  ])('include %s', async (_, path, init) => {
    const left = between()
    expect(await asked(path, init)).toMatchObject({
      method: init.method ?? 'GET',
      path,
      sealed: true,
    })
    expect(left.map(({ url }) => new URL(url).pathname)).not.toContain(path)
  })
})

describe('fresh quotes for clients', () => {
  it.each([
    ['/attestation', '?nonce=00ff'],
    ['/attestation', '?%6eonce=00ff'],
    ['/attestation', '?a&nonce=00&nonce=01'],
    ['/attestation/bundle', '?nonce=00ff'],
  ])('count against the client, not the edge’s own verification: %s%s', async (path, query) => {
    const left = between()
    const headers = { 'cf-connecting-ip': '203.0.113.7' }
    const response = await production()(`${path}${query}`, { headers })
    expect(await response.json()).toMatchObject({
      path,
      query,
      sealed: true,
      client_address: '203.0.113.7',
    })
    expect(left.filter(({ url }) => new URL(url).search === query)).toEqual([])
  })
})

describe('unsealed requests', () => {
  it.each<[string, RequestInit]>([
    ['/core/v1/version', {}],
    ['/core/v1/swagger-ui/index.css?a=1&b=%20', {}],
    ['/get_node_chain_config', {}],
    ['/attestation', { headers: asHeader({}) }],
    ['/attestation/bundle', { headers: asHeader({}) }],
    ['/info', { headers: asHeader({}) }],
    ['/evidences/', { headers: asHeader({}) }],
    ['/evidences/cert-origin.test.pem', {}],
    ['/core/v1/svc_action', { method: 'OPTIONS' }],
  ])('are forwarded for %s', async (path, init) => {
    const request = await asked(path, init)
    expect(request.sealed).toBe(false)
    expect(request.path + request.query).toBe(path)
  })

  it('include the payment processor’s webhook, byte for byte, with its signature', async () => {
    const bytes = random(1_000)
    const headers = { 'stripe-signature': 't=1,v1=00', 'content-type': 'application/json' }
    const init = { method: 'POST', body: bytes, headers }
    const request = await asked('/core/v1/billing/processor_webhook', init)
    expect(request).toMatchObject({ sealed: false, headers })
    expect(Buffer.from(request.body, 'base64')).toEqual(Buffer.from(bytes))
  })
})

describe('a response is returned unchanged', () => {
  it.each([
    ['sealed', { 'x-api-key': KEY }],
    ['plain', {}],
  ])('%s: status, body and headers', async (_, credential) => {
    const headers: [string, string][] = [
      ['content-type', 'application/json'],
      ['x-svc-error', 'action_threw'],
      ['x-svc-receipt', 'header.payload.signature'],
      ['x-request-id', 'of the origin'],
      ['retry-after', '17'],
      ['x-total-count', '3'],
      ['access-control-allow-origin', '*'],
    ]
    for (const status of [200, 402, 409, 429, 500, 503]) {
      const init = { headers: { ...credential, ...asHeader({ status, headers, text: '"é\\n"' }) } }
      const response = await edge('/core/v1/list_groups', init)
      expect([response.status, await response.text()]).toEqual([status, '"é\\n"'])
      for (const [name, value] of headers) expect(response.headers.get(name)).toBe(value)
    }
  })

  it.each([204, 304])('without a body: %i', async (status) => {
    const script = asHeader({ status, headers: [['etag', '"1"']], text: '' })
    const response = await edge('/core/v1/list_groups', {
      headers: { 'x-api-key': KEY, ...script },
    })
    expect([response.status, response.body, response.headers.get('etag')]).toEqual([
      status,
      null,
      '"1"',
    ])
  })

  it('with the x-request-id of the origin, or of the edge if it has none', async () => {
    expect((await edge('/core/v1/version')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('with header values that are not ASCII', async () => {
    const utf8 = Buffer.from('ü').toString('latin1')
    const script = asHeader({ headers: [['x-correlation-id', utf8]] })
    const response = await edge('/core/v1/version', { headers: { 'x-api-key': 'x', ...script } })
    expect(response.headers.get('x-correlation-id')).toBe('ü')
  })

  it('although padding kept a long connection open', async () => {
    const init = post('{}', { 'x-api-key': KEY, ...asHeader({ pads: 5, text: '"late"' }) })
    expect(await (await edge('/core/v1/svc_action', init)).json()).toBe('late')
  })
})

describe('a request body', () => {
  const action = '/core/v1/svc_action'
  it.each<[string, Uint8Array<ArrayBuffer>]>([
    ['empty', new Uint8Array()],
    ['of bytes that are no text', Uint8Array.of(0, 0xff, 0xfe, 0, 10, 13)],
    ['with a byte order mark', Uint8Array.of(0xef, 0xbb, 0xbf, 123, 125)],
    ['of a megabyte', new Uint8Array(1024 * 1024).fill(7)],
  ])('%s arrives unchanged, with or without a content length', async (_, bytes) => {
    const stream = () =>
      new ReadableStream({
        start(controller) {
          for (let at = 0; at < bytes.length; at += 300_000)
            controller.enqueue(bytes.slice(at, at + 300_000))
          controller.close()
        },
      })
    for (const body of [bytes, stream()]) {
      const request = await asked(action, post(body, { 'x-api-key': KEY }))
      expect(Buffer.from(request.body, 'base64').equals(Buffer.from(bytes))).toBe(true)
    }
  })

  it('of 32 MiB is forwarded; one more byte is 413 without reading', async () => {
    const script = asHeader({ text: '"taken"' })
    const largest = new Uint8Array(CORE_BODY_MAX_BYTES)
    const taken = await edge(action, post(largest, { 'x-api-key': KEY, ...script }))
    expect(await taken.json()).toBe('taken')
    const left = between()
    const declared = { 'content-length': String(CORE_BODY_MAX_BYTES + 1), 'x-api-key': KEY }
    const refused = await edge(action, post('{}', declared))
    expect([refused.status, left]).toEqual([413, []])
  })

  it.each([
    ['/core/v1/add_group', OPERATION_BODY_MAX_BYTES, { 'x-api-key': KEY }],
    ['/core/v1/new_account', OPERATION_BODY_MAX_BYTES, {}],
    ['/core/v1/billing/processor_webhook', PROCESSOR_EVENT_MAX_BYTES, {}],
  ])('for %s is 413 above %i bytes, and reading stops', async (path, maxBytes, headers) => {
    const left = between()
    let pulled = 0
    const body = new ReadableStream({
      pull(controller) {
        if (++pulled > 1_000) return controller.close()
        controller.enqueue(new Uint8Array(16 * 1024))
      },
    })
    const response = await edge(path, post(body, headers))
    expect([response.status, (await response.json<any>()).error]).toEqual([
      413,
      'payload_too_large',
    ])
    expect(pulled * 16 * 1024).toBeLessThan(maxBytes + 128 * 1024)
    expect(left.filter((request) => !isEvidence(request))).toEqual([])
  })

  it('of a read is not forwarded', async () => {
    const init = { method: 'DELETE', body: 'x', headers: { 'x-api-key': KEY } }
    expect(textOf(await asked('/core/v1/list_wallets', init))).toBe('')
  })
})

describe('an API key', () => {
  const texts = [
    'nobody',
    KEY.slice(0, 43),
    `${KEY}=`,
    KEY.slice(0, 42) + 'B=',
    'of my own, with spaces',
    'a\u0001b',
    'a\u000bb',
    'a\u007fb',
  ]

  it.each(texts)('is forwarded for the origin to check, whatever it contains: %j', async (key) => {
    for (const path of ['svc_action', 'list_wallets', 'account_exists']) {
      const init = path === 'svc_action' ? post('{}') : {}
      const headers = { ...init.headers, 'x-api-key': key }
      const request = await asked(`/core/v1/${path}`, { ...init, headers })
      expect([request.sealed, request.headers['x-api-key']]).toEqual([true, key])
    }
  })

  it('is required for executing a source: 401 without reading the body', async () => {
    const left = between()
    const response = await edge('/core/v1/svc_action', post('x'.repeat(100_000)))
    expect([response.status, left]).toEqual([401, []])
  })
})

describe('a failing origin', () => {
  beforeEach(() => void silent())

  it('returns 503 if it is not verified, and nothing is sent or charged', async () => {
    const left = between((request, send) =>
      isEvidence(request) ? new Response('forged') : send(request),
    )
    const fresh = edgeWith()
    for (const [path, init] of [
      ['/core/v1/svc_action', post('{}', { 'x-api-key': KEY })],
      ['/core/v1/version', {}],
      ['/get_node_chain_config', {}],
    ] as const) {
      const response = await fresh(path, init)
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
      const body = await response.json<any>()
      expect(Object.keys(body).toSorted()).toEqual(['docs_url', 'error', 'fix', 'message'])
      expect(body.fix).toContain('Nothing was executed or charged')
    }
    expect(left.every(isEvidence)).toBe(true)
  })

  it('cut connection: returns 503, and the request is not resent', async () => {
    for (const credential of [{ 'x-api-key': KEY }, {}]) {
      const left = between()
      const init = { headers: { ...credential, ...asHeader({ break: true }) } }
      const response = await edge('/core/v1/list_groups', init)
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
      const { message, fix } = await response.json<any>()
      expect(message).toBe('The origin did not respond.')
      // The request may have been executed.
      expect(fix).not.toMatch(/nothing/i)
      expect(left.filter((request) => !isEvidence(request))).toHaveLength(1)
      vi.mocked(fetch).mockRestore()
    }
  })

  it.each([502, 503, 200])('returns 503 if a proxy responds with %i instead', async (unsealed) => {
    const init = { headers: { 'x-api-key': KEY, ...asHeader({ unsealed }) } }
    expect((await edge('/core/v1/list_groups', init)).status).toBe(503)
  })

  it('that rejects the envelope: passes on 503 and 429, and returns 503 for other errors', async () => {
    for (const [status, expected, retry] of [
      [429, 429, '7'],
      [503, 503, '7'],
      [409, 503, '5'],
      [400, 503, '5'],
    ] as const) {
      const script = asHeader({ refuse: { status, error: 'by_script', retry_after_s: 7 } })
      const response = await edge('/core/v1/list_groups', {
        headers: { 'x-api-key': KEY, ...script },
      })
      expect([response.status, response.headers.get('retry-after')]).toEqual([expected, retry])
    }
  })

  it.each([
    ['of this release', { error: 'too_many_requests', reason: 'overloaded' }],
    ['of the previous release', { error: 'overloaded' }],
  ])('that sheds load, %s: returns 429 too_many_requests with the reason', async (_, names) => {
    const script = asHeader({ refuse: { status: 429, ...names, retry_after_s: 7 } })
    const headers = { 'x-api-key': KEY, ...script }
    const response = await edge('/core/v1/list_groups', { headers })
    expect(response.headers.get('x-svc-error')).toBe('overloaded')
    expect(response.headers.get('access-control-expose-headers')).toContain('x-svc-error')
    expect(await response.json()).toMatchObject({
      error: 'too_many_requests',
      reason: 'overloaded',
      docs_url: 'https://edge.test/docs/errors#overloaded',
    })
  })

  it.each([
    ['request_replayed', /did not respond.*took effect/s],
    ['bad_request', /Nothing was executed/],
    ['request_not_fresh', /Nothing was executed/],
  ])(
    'replay: if rejected as %s, the response explains what may have happened',
    async (error, text) => {
      const headers = { 'x-api-key': KEY, ...asHeader({ refuse: { status: 409, error } }) }
      const response = await edge('/core/v1/list_groups', { headers })
      expect(response.status).toBe(503)
      expect(await response.text()).toMatch(text)
    },
  )

  it('forged response: returns 503 if one bit was changed, or if it belongs to another request', async () => {
    let recorded: Uint8Array<ArrayBuffer> | undefined
    for (const change of ['bit', 'other']) {
      between(async (request, send) => {
        const response = await send(request)
        if (isEvidence(request)) return response
        const bytes = new Uint8Array(await response.arrayBuffer())
        if (change === 'bit') bytes[bytes.length - 1]! ^= 1
        recorded ??= bytes
        return new Response(change === 'bit' ? bytes : recorded, { headers: response.headers })
      })
      const init = { headers: { 'x-api-key': KEY } }
      expect((await edge('/core/v1/list_groups', init)).status).toBe(503)
      vi.mocked(fetch).mockRestore()
    }
  })

  it('key rotation: reseals and resends a request once if the origin could not open it', async () => {
    const own = edgeWith()
    await own('/core/v1/version')
    await new Promise((resolve) => setTimeout(resolve, 1_050))
    let unknown = 1
    const left = between((request, send) =>
      !isEvidence(request) && unknown-- > 0 ? new Response('', { status: 421 }) : send(request),
    )
    const response = await own('/core/v1/list_groups', { headers: { 'x-api-key': KEY } })
    expect([response.status, (await response.json<any>()).sealed]).toEqual([200, true])
    expect(left.filter((request) => !isEvidence(request))).toHaveLength(2)
  })
})

describe('a page on another site', () => {
  it('can read errors of the edge as well as those of the origin', async () => {
    const refused = await edge('/core/v1/svc_action', post('{}'))
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
    expect(refused.headers.get('access-control-expose-headers')).toContain('x-request-id')
    expect(refused.headers.get('access-control-allow-credentials')).toBeNull()
    expect(refused.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('the client address', () => {
  const of = async (front: typeof edge, headers: Record<string, string>) => {
    const response = await front('/core/v1/new_account', post('{}', headers))
    return (await response.json<any>()).client_address
  }

  it('comes from the platform in production', async () => {
    expect(await of(production(), { 'cf-connecting-ip': '203.0.113.9' })).toBe('203.0.113.9')
    expect(await of(production(), {})).toBe('')
  })

  it('is a constant in a local stack, where any client could forge it', async () => {
    expect(await of(edge, { 'cf-connecting-ip': '203.0.113.9' })).toBe('127.0.0.1')
  })
})

// This suite runs last: with fake timers, the verifying Durable Objects cannot be awaited.
describe('an origin that does not respond', () => {
  beforeEach(() => void silent())

  it('hanging connection: returns 503 after a minute without data', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const asking = Promise.withResolvers<void>()
    between((request, send) => {
      if (isEvidence(request)) return send(request)
      asking.resolve()
      return new Promise((_, reject) =>
        request.signal.addEventListener('abort', () => reject(new Error('aborted'))),
      )
    })
    const answer = edge('/core/v1/list_groups', { headers: { 'x-api-key': KEY } })
    await asking.promise
    let isAnswered = false
    void answer.then(() => (isAnswered = true))
    await vi.advanceTimersByTimeAsync(SEALED_IDLE_TIMEOUT_MS - 1)
    expect(isAnswered).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect((await answer).status).toBe(503)
    vi.useRealTimers()
  })
})
