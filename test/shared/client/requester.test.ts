import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseBaseUrl } from '../../../shared/client/base-url.ts'
import type { SvcError } from '../../../shared/client/failures/svc-error.ts'
import { createRequester, type RequesterParts } from '../../../shared/client/requester.ts'
import type { ClientRequest } from '../../../shared/client/request.ts'
import { type Fault, type FaultyApi, refusal, startFaultyApi } from '../../doubles/faulty-api.ts'

let api: FaultyApi
let elsewhere: FaultyApi
let waits: number[]
let verified: string[]
beforeAll(async () => {
  ;[api, elsewhere] = await Promise.all([startFaultyApi(), startFaultyApi()])
})
beforeEach(() => {
  waits = []
  verified = []
  elsewhere.play()
})
afterAll(() => Promise.all([api.close(), elsewhere.close()]))

const apiKey = randomBytes(32).toString('base64')
const NOW = Date.UTC(2026, 0, 1)

const requester = (parts: Partial<RequesterParts> = {}) =>
  createRequester({
    origin: api.url,
    edge: undefined,
    fetch,
    now: () => NOW,
    // Maximum jitter.
    random: (bytes) => new Uint8Array(bytes).fill(255),
    sleep: async (ms) => void waits.push(ms),
    retries: undefined,
    signal: undefined,
    beforeCredential: async (kind) => void verified.push(kind),
    ...parts,
  })

const READ: ClientRequest = {
  method: 'GET',
  path: '/core/v1/list_groups',
  repeat: 'idempotent',
  credential: { apiKey },
}
const WRITE: ClientRequest = {
  method: 'POST',
  path: '/core/v1/add_group',
  json: { group_name: 'g' },
  repeat: 'once',
  credential: { apiKey },
}
const UNREPEATED: ClientRequest = { ...WRITE, repeat: 'never' }

const ask = (question: ClientRequest, parts?: Partial<RequesterParts>) =>
  requester(parts).core(question)
const failure = async (
  question: ClientRequest,
  parts?: Partial<RequesterParts>,
): Promise<SvcError> =>
  ask(question, parts).then(
    () => Promise.reject(new Error('it did not fail')),
    (error: SvcError) => error,
  )
const HTML: Fault = {
  status: 502,
  headers: { 'content-type': 'text/html' },
  body: '<h1>Bad Gateway</h1>',
}
const CUT: Fault = { cut: 'unanswered' }

describe('a request', () => {
  it('carries the key, body and content type, and announces its credential first', async () => {
    api.play({ body: { group_id: 1 } })
    expect(await ask(WRITE)).toMatchObject({ status: 200, body: { group_id: 1 } })
    const [{ method, url, headers, body } = { headers: {} }] = api.received as any[]
    expect([method, url, JSON.parse(body)]).toEqual([
      'POST',
      '/core/v1/add_group',
      { group_name: 'g' },
    ])
    expect(headers).toMatchObject({ 'x-api-key': apiKey, 'content-type': 'application/json' })
    expect(verified).toEqual(['apiKey'])
  })

  it.each([
    [{ token: 't'.repeat(43) }, 'authorization', `Bearer ${'t'.repeat(43)}`],
    [{ walletAuth: 'e30=' }, 'x-wallet-auth', 'e30='],
  ] as const)('carries %o in its header', async (credential, name, value) => {
    api.play({})
    await ask({ ...READ, credential })
    expect(api.received[0]!.headers).toMatchObject({ [name]: value })
    expect('x-api-key' in api.received[0]!.headers).toBe(false)
  })

  it('carries and announces no credential if the call has none', async () => {
    api.play({})
    await ask({ method: 'GET', path: '/core/v1/version', repeat: 'idempotent' })
    const { headers } = api.received[0]!
    expect([headers['x-api-key'], headers.authorization, verified]).toEqual([
      undefined,
      undefined,
      [],
    ])
  })

  it('is not sent if the callback before the credential throws', async () => {
    api.play({})
    const refuse = () => Promise.reject(new Error('the evidence was refused'))
    await expect(ask(READ, { beforeCredential: refuse })).rejects.toThrow(
      'the evidence was refused',
    )
    expect(api.received).toEqual([])
  })

  it('goes to the edge only if its URL is known', async () => {
    api.play({ body: [] })
    await expect(requester().edge(READ)).rejects.toMatchObject({ code: 'no_triggers_url' })
    expect(api.received).toEqual([])
    expect((await requester({ edge: api.url }).edge(READ)).body).toEqual([])
  })

  it('carries a webhook event byte for byte, with its headers', async () => {
    api.play({ status: 202, body: { run_id: 'r' } })
    const headers = { 'X-Signature': 'sha256=ab', 'Content-Type': 'text/plain' }
    const event = {
      method: 'POST',
      path: '/hooks/t',
      body: '{"a": 1}\n',
      headers,
      repeat: 'never',
    } as const
    expect((await ask(event)).status).toBe(202)
    const [sent] = api.received
    expect(sent).toMatchObject({ body: '{"a": 1}\n' })
    expect(sent!.headers).toMatchObject({
      'x-signature': 'sha256=ab',
      'content-type': 'text/plain',
    })
    expect('idempotency-key' in sent!.headers).toBe(false)
  })

  it('is not sent if a header contains a line break', async () => {
    api.play({})
    const failed = await failure({ ...READ, headers: { 'x-signature': 'secret\r\nx-other: 1' } })
    expect(failed).toMatchObject({ name: 'NotSent', code: 'bad_header' })
    expect(inspect(failed, { depth: 9 })).not.toContain('secret')
  })

  it('returns no body for a 204, and text for CSV', async () => {
    api.play({ status: 204, headers: { 'content-type': '' } })
    expect((await ask({ ...READ, method: 'DELETE' })).body).toBeUndefined()
    api.play({ headers: { 'content-type': 'text/csv; charset=utf-8' }, body: 'day,cents\r\n' })
    expect((await ask({ ...READ, wants: 'csv' })).body).toBe('day,cents\r\n')
    expect(api.received[0]!.headers.accept).toBe('text/csv')
  })
})

describe('an error', () => {
  it.each([
    [400, 'bad_request', 'BadRequest'],
    [401, 'unauthorized', 'Unauthorized'],
    [402, 'payment_required', 'PaymentRequired'],
    [403, 'forbidden', 'Forbidden'],
    [404, 'not_found', 'NotFound'],
    [405, 'method_not_allowed', 'SvcError'],
    [409, 'conflict', 'Conflict'],
    [413, 'payload_too_large', 'PayloadTooLarge'],
    [422, 'unprocessable_entity', 'Unprocessable'],
    [429, 'too_many_requests', 'TooManyRequests'],
    [500, 'internal_error', 'ServerFailure'],
    [503, 'service_unavailable', 'ServiceUnavailable'],
  ])('for %i %s is a %s', async (status, code, name) => {
    api.play(refusal(status, code))
    const fix = `what to do about ${code}`
    expect(await failure(READ)).toMatchObject({ name, status, code, fix, requestId: 'request-1' })
  })

  it.each([
    ['in x-svc-error', { 'x-svc-error': 'spend_cap_reached' }, { error: 'payment_required' }],
    ['in reason', {}, { error: 'payment_required', reason: 'spend_cap_reached' }],
    ['in error, by a service of the previous release', {}, { error: 'spend_cap_reached' }],
  ])('has the most specific code: %s', async (_, headers, names) => {
    const body = { ...names, message: 'm', fix: 'f', docs_url: 'https://docs.test' }
    api.play({ status: 402, headers, body })
    const { name, code } = await failure(READ)
    expect([name, code]).toEqual(['PaymentRequired', 'spend_cap_reached'])
  })

  it('of the contract is text, with a code from the header', async () => {
    const headers = { 'x-svc-error': 'account_already_exists' }
    api.play({ status: 409, headers, body: 'The key already names an account.' })
    const { name, code, message } = await failure(WRITE)
    expect([name, code, message]).toEqual([
      'Conflict',
      'account_already_exists',
      'The key already names an account.',
    ])
  })

  it('of a failed action is split into message, stack, logs and receipt', async () => {
    const headers = { 'x-svc-error': 'action_threw', 'x-svc-receipt': 'a.b.c' }
    const stack = 'Error: no funds\n    at main (action.js:1:7)'
    api.play({ status: 500, headers, body: `${stack}\n\nlogs:\none\n\ntwo` })
    expect(await failure(WRITE)).toMatchObject({
      name: 'ActionFailed',
      code: 'action_threw',
      message: 'Error: no funds',
      actionStack: stack,
      logs: 'one\n\ntwo',
      receipt: 'a.b.c',
    })
    expect(api.received).toHaveLength(1)
  })

  it.each([
    [
      'an HTML page',
      { status: 404, headers: { 'content-type': 'text/html' }, body: '<p>' },
      'text/html',
    ],
    [
      'an HTML page that says 200',
      { headers: { 'content-type': 'text/html' }, body: '<p>' },
      'text/html',
    ],
    [
      'what says that it is JSON',
      { headers: { 'content-type': 'application/json' }, body: '<p>' },
      'application/json',
    ],
    ['JSON of another service', { status: 404, body: { detail: 'no' } }, 'not an API error'],
  ])('is NotTheApi without a retry for %s', async (_what, fault: Fault, named) => {
    api.play(fault)
    const { name, message } = await failure(READ)
    expect([name, message]).toEqual(['NotTheApi', expect.stringContaining(named)])
    expect(api.received).toHaveLength(1)
  })

  it('of a connection that was never made was not executed', async () => {
    const gone = await startFaultyApi()
    await gone.close()
    const failed = await failure(UNREPEATED, { origin: gone.url, retries: { times: 0 } })
    expect(failed).toMatchObject({ name: 'NetworkFailed', mayHaveBeenExecuted: false })
  })
})

describe('retries', () => {
  it.each([
    ['429', refusal(429, 'too_many_requests'), READ],
    ['429 to what is never repeated', refusal(429, 'too_many_requests'), UNREPEATED],
    ['503', refusal(503, 'service_unavailable'), WRITE],
    ['a lost read', CUT, READ],
    ['a lost write', CUT, WRITE],
    ['a write whose answer broke off', { cut: 'halfway', body: { group_id: 1 } } as const, WRITE],
    ['a proxy’s 502', HTML, WRITE],
    ['a proxy’s 504', { ...HTML, status: 504 }, READ],
    ['a request in progress', refusal(409, 'request_in_progress', { retryAfter: '1' }), WRITE],
  ])('%s, until it is answered', async (_what, fault: Fault, question) => {
    api.play(fault, fault, { body: { done: true } })
    expect((await ask(question)).body).toEqual({ done: true })
    expect(api.received).toHaveLength(3)
  })

  it.each([
    ['503 to what is never repeated', refusal(503, 'service_unavailable'), UNREPEATED],
    ['a lost write that is never repeated', CUT, UNREPEATED],
    ['a 502 to what is never repeated', HTML, UNREPEATED],
    ['an internal error', refusal(500, 'internal_error'), READ],
    ['an outcome that is unknown', refusal(409, 'outcome_unknown'), WRITE],
    ['a refusal', refusal(403, 'forbidden'), READ],
    [
      'a run that had begun and was stopped',
      { ...refusal(503, 'credits_unavailable'), headers: { 'x-svc-receipt': 'a.b.c' } },
      WRITE,
    ],
  ])('not %s', async (_what, fault: Fault, question) => {
    api.play(fault, { body: {} })
    await failure(question)
    expect(api.received).toHaveLength(1)
  })

  it('with the same Idempotency-Key and the same bytes', async () => {
    api.play(CUT, HTML, { body: {} })
    await ask(WRITE, { random: (bytes) => new Uint8Array(randomBytes(bytes)) })
    const keys = new Set(api.received.map(({ headers }) => headers['idempotency-key']))
    expect([...keys]).toEqual([
      expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/),
    ])
    expect(new Set(api.received.map(({ body }) => body)).size).toBe(1)
  })

  it('with the Idempotency-Key of the caller if given', async () => {
    api.play({})
    await ask({ ...WRITE, options: { idempotencyKey: 'order 7' } })
    expect(api.received[0]!.headers['idempotency-key']).toBe('order 7')
    await expect(ask({ ...WRITE, options: { idempotencyKey: 'é' } })).rejects.toMatchObject({
      code: 'bad_idempotency_key',
    })
  })

  it('a limited number of times, with delays that double up to 30 s', async () => {
    api.play(refusal(503, 'service_unavailable'))
    expect(await failure(READ, { retries: { times: 9 } })).toMatchObject({ status: 503 })
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
    expect(api.received).toHaveLength(10)
  })

  it('without a delay if the jitter is zero, and never if retries are disabled', async () => {
    api.play(HTML)
    await failure(READ, { retries: { times: 2 }, random: (bytes) => new Uint8Array(bytes) })
    expect(waits).toEqual([0, 0])
    await failure(READ, { retries: { times: 0 } })
    expect(api.received).toHaveLength(4)
  })

  it.each([
    ['3', 3_000],
    [new Date(NOW + 7_000).toUTCString(), 7_000],
    ['-5', 0],
    ['soon', 0],
  ])('not before Retry-After: %s', async (retryAfter, ms) => {
    api.play(refusal(429, 'too_many_requests', { retryAfter }), {})
    await ask(READ)
    expect(waits).toEqual([ms + 250])
  })

  it('a request in progress for as long as an execution may take, whatever the number of retries', async () => {
    api.play(refusal(409, 'request_in_progress', { retryAfter: '10' }))
    expect(await failure(WRITE, { retries: { times: 1 } })).toMatchObject({
      code: 'request_in_progress',
    })
    const total = waits.reduce((sum, wait) => sum + wait, 0)
    expect(total).toBeGreaterThan(800_000)
    expect(total).toBeLessThanOrEqual(900_000)
  })

  it('a lost write that is then rejected temporarily may have been executed, and the error says so', async () => {
    api.play(CUT, refusal(503, 'service_unavailable'))
    const failed = await failure(WRITE, { retries: { times: 2 } })
    expect(failed).toMatchObject({ name: 'NetworkFailed', mayHaveBeenExecuted: true })
    expect(failed.cause).toMatchObject({ status: 503 })
    const { idempotencyKey } = failed as { idempotencyKey?: string }
    expect(idempotencyKey).toBe(api.received[0]!.headers['idempotency-key'])
  })

  it('a lost write with a key that is then unknown may have been executed, because 401 precedes the Idempotency-Key check', async () => {
    api.play(CUT, refusal(401, 'unauthorized'))
    const failed = await failure(WRITE)
    expect(failed).toMatchObject({ name: 'NetworkFailed', mayHaveBeenExecuted: true })
    expect(failed.cause).toMatchObject({ status: 401 })
  })

  it('a lost write that is then rejected permanently was not executed', async () => {
    api.play(CUT, refusal(402, 'payment_required'))
    expect(await failure(WRITE)).toMatchObject({ name: 'PaymentRequired' })
  })
})

describe('a signal', () => {
  const reason = new Error('the user went away')
  const both = (signal: AbortSignal): [string, ClientRequest, Partial<RequesterParts>][] => [
    ['of the call', { ...READ, options: { signal } }, {}],
    ['of the client', READ, { signal }],
    [
      'of the call, where the client has one',
      { ...READ, options: { signal } },
      { signal: new AbortController().signal },
    ],
  ]

  it('sends nothing if it was already aborted', async () => {
    api.play({})
    for (const [, question, parts] of both(AbortSignal.abort(reason)))
      await expect(ask(question, parts)).rejects.toBe(reason)
    expect(api.received).toEqual([])
  })

  it('aborts a pending call with its reason', async () => {
    for (const at of [0, 1, 2]) {
      const controller = new AbortController()
      const [, question, parts] = both(controller.signal)[at]!
      api.play({ silent: true })
      const asked = api.asked()
      const answer = failure(question, parts)
      await asked
      controller.abort(reason)
      expect(await answer).toBe(reason)
    }
  })

  it('aborts a wait, after which nothing is sent', async () => {
    const controller = new AbortController()
    api.play(refusal(503, 'service_unavailable'))
    const sleep = async () => controller.abort(reason)
    expect(await failure({ ...READ, options: { signal: controller.signal } }, { sleep })).toBe(
      reason,
    )
    expect(api.received).toHaveLength(1)
  })
})

describe('attacks', () => {
  it.each([301, 302, 303, 307, 308])(
    'attack: a redirect (%i) to another host does not get the key',
    async (status) => {
      api.play({ status, headers: { location: `${elsewhere.url}/core/v1/list_groups` } })
      expect(await failure(READ)).toMatchObject({ name: 'NotTheApi', status })
      expect(elsewhere.received).toEqual([])
    },
  )

  it('attack: a path that looks like another host stays a path', async () => {
    api.play({})
    await ask({ ...READ, path: `//127.0.0.1:${new URL(elsewhere.url).port}/` })
    expect(api.received).toHaveLength(1)
    expect(elsewhere.received).toEqual([])
  })

  it('attack: an error that contains the key does not leak it to a log', async () => {
    const other = randomBytes(32).toString('base64')
    const said = {
      status: 401,
      body: { error: apiKey, message: `no ${apiKey}`, fix: `not ${other}` },
    }
    api.play(said)
    const failed = await failure(READ)
    expect(failed).toMatchObject({ message: 'no [credential]', fix: 'not [key]' })
    for (const key of [apiKey, other]) expect(inspect(failed, { depth: 9 })).not.toContain(key)
    api.play({
      status: 500,
      headers: { 'x-svc-error': 'action_threw' },
      body: `got ${apiKey}\n\nlogs:\n${apiKey}`,
    })
    expect(inspect(await failure(WRITE), { depth: 9 })).not.toContain(apiKey)
    api.play(CUT)
    expect(inspect(await failure(WRITE), { depth: 9 })).not.toContain(apiKey)
  })

  it('attack: an oversized response is not read to its end', async () => {
    const megabyte = new Uint8Array(1024 * 1024).fill(32)
    let pulled = 0
    const endless = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => {
            pulled++
            controller.enqueue(megabyte)
          },
        }),
        { headers: { 'content-type': 'application/json' } },
      )
    const failed = await failure(READ, { fetch: async () => endless() })
    expect(failed).toMatchObject({ name: 'NotTheApi', message: expect.stringContaining('larger') })
    expect(pulled).toBeLessThan(40)
  })

  it.each(['31536000', 'Fri, 01 Jan 2027 00:00:00 GMT'])(
    'attack: a Retry-After of a year (%s) is reported, not waited for',
    async (retryAfter) => {
      api.play(refusal(429, 'too_many_requests', { retryAfter }))
      expect(await failure(READ)).toMatchObject({ retryAfterS: 31_536_000 })
      expect([waits, api.received.length]).toEqual([[], 1])
    },
  )

  it.each(['no key', 'x'.repeat(44), `${apiKey} `, apiKey.slice(1), `0x${'a'.repeat(64)}`])(
    'attack: another kind of secret in place of the key (%#) is neither sent nor shown',
    async (secret) => {
      api.play({})
      const failed = await failure({ ...READ, credential: { apiKey: secret } })
      expect(failed).toMatchObject({ name: 'NotSent', code: 'bad_credential' })
      expect(inspect(failed)).not.toContain(secret)
      expect(api.received).toEqual([])
    },
  )

  it('attack: a token with a line break is neither sent nor shown', async () => {
    api.play({})
    const failed = await failure({ ...READ, credential: { token: 'secret\r\nx-other: 1' } })
    expect(failed).toMatchObject({ name: 'NotSent' })
    expect(inspect(failed, { depth: 9 })).not.toContain('secret')
  })
})

describe('key protection', () => {
  it.each([
    ['https://api.test', 'https://api.test'],
    ['https://api.test:8443/', 'https://api.test:8443'],
    ['http://localhost:8787', 'http://localhost:8787'],
    ['http://svc.localhost', 'http://svc.localhost'],
    ['http://127.0.0.1:80', 'http://127.0.0.1'],
    ['http://[::1]:8787', 'http://[::1]:8787'],
  ])('accepts %s', (text, host) => expect(parseBaseUrl('baseUrl', text)).toBe(host))

  it.each([
    'http://api.test',
    'http://localhost.api.test',
    'http://127.0.0.1.api.test',
    'http://127.0.0.1@api.test',
    'http://10.0.0.1',
    'http://0.0.0.0',
  ])('attack: rejects %s, which would expose the key in transit', (text) => {
    expect(() => parseBaseUrl('baseUrl', text)).toThrow(
      expect.objectContaining({ name: 'NotSent' }),
    )
  })

  it.each([
    '',
    'api.test',
    'ftp://api.test',
    'https://u:p@api.test',
    'https://api.test/core/v1',
    'https://api.test/?a',
    'https://api.test/#a',
  ])('rejects %j as the address of a service', (text) => {
    expect(() => parseBaseUrl('triggersUrl', text)).toThrow(/^triggersUrl: expected/)
  })
})
