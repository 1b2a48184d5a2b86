import { describe, expect, it } from 'vitest'
import {
  createTrigger,
  fire,
  type Owner,
  queueOf,
  readRun,
  runOnce,
  seen,
  someOwner,
} from '../app.ts'

const owner: Owner = await someOwner()

async function paramsOf(path: string, init: RequestInit, over: object = {}) {
  const { id } = await createTrigger(owner, over)
  const run = await fire(`${id}${path}`, '{"from":"event"}', init)
  const { input } = await runOnce(owner, run)
  const [call] = await seen(run)
  return { id, input, params: call!.params as Record<string, any> }
}

describe('the params of the action', () => {
  it('merge default_params with the event, and the event wins', async () => {
    const { params } = await paramsOf('', {}, { default_params: { mine: 1, source: 'forged' } })
    expect(params).toMatchObject({ mine: 1, source: 'webhook', event: { from: 'event' } })
  })

  it('contain the public URL that the sender used, whatever Host header it sent', async () => {
    const headers = { host: 'evil.test', 'x-forwarded-host': 'evil.test' }
    const { id, params } = await paramsOf('?a=1&b=2&b=3&c=%20', { headers })
    expect(params.request).toMatchObject({
      method: 'POST',
      url: `https://edge.test/webhook/${id}?a=1&b=2&b=3&c=%20`,
      query: { a: '1', b: ['2', '3'], c: ' ' },
      content_type: 'text/plain;charset=UTF-8',
      body_bytes: 16,
    })
    expect(JSON.stringify(params)).not.toContain('evil')
  })

  it('contain the time of arrival in UTC', async () => {
    const { params } = await paramsOf('', {})
    expect(params.request.received_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })
})

describe('header rules', () => {
  it('stolen credential: authorization, cookie, x-api-key and forwarding headers never reach the action', async () => {
    const secrets = {
      authorization: 'Bearer canary-1',
      cookie: 'a=canary-2',
      'x-api-key': 'canary-3',
      'x-forwarded-for': 'canary-4',
      'cf-connecting-ip': 'canary-5',
      'proxy-authorization': 'canary-6',
    }
    const named = Object.keys(secrets).join(' ')
    const headers = { ...secrets, 'x-hook0-signature': `t=1,h=${named},v1=aa` }
    const { id, input, params } = await paramsOf('', { headers })
    expect(params.headers['x-hook0-signature']).toContain('v1=aa')
    expect(JSON.stringify([input, { ...params, headers: { ...params.headers } }])).not.toMatch(
      /canary-\d/,
    )
    expect(await queueOf(id).read('somebody else')).toBeUndefined()
  })

  it('a header that contains a secret reaches the action and is masked in the history', async () => {
    const headers = { 'x-gitlab-token': 'canary-secret', 'x-gitlab-event': 'Push Hook' }
    const { id, input, params } = await paramsOf('', { headers })
    expect(params.headers).toMatchObject(headers)
    expect(input.headers).toMatchObject({
      'x-gitlab-token': 'REDACTED',
      'x-gitlab-event': 'Push Hook',
    })
    const list = await (await owner.api(`/api/triggers/${id}/runs`)).text()
    expect(list).not.toContain('canary-secret')
  })
})

describe('prototype pollution', () => {
  it('treats a header, query key and body key named __proto__ as plain data', async () => {
    const { id } = await createTrigger(owner)
    const run = await fire(`${id}?__proto__=query&constructor=c`, '{"__proto__":{"body":1}}', {
      headers: {
        'content-type': 'application/json',
        'x-contentful-signed-headers': '__proto__',
        ['__proto__']: 'header',
      },
    })
    const text = await (await owner.api(`/api/runs/${run}`)).text()
    expect(text).toContain('"event":{"__proto__":{"body":1}}')
    expect(text).toContain('"query":{"__proto__":"query","constructor":"c"}')
    expect(text).toContain('"__proto__":"header"')
    expect((await runOnce(owner, run)).status).toBe('success')
    expect(({} as { body?: number }).body).toBeUndefined()
  })
})

describe('JSON bomb', () => {
  it('completes an event of forty thousand brackets like any other, and the queue continues', async () => {
    const { id } = await createTrigger(owner)
    const depth = 20_000
    const bomb = '['.repeat(depth) + ']'.repeat(depth)
    const headers = { 'content-type': 'application/json' }
    const [first, second] = [await fire(id, bomb, { headers }), await fire(id, '{"a":1}')]
    expect((await runOnce(owner, second)).status).toBe('success')
    const run = await runOnce(owner, first)
    expect(run.status).toBe('success')
    expect(run.input).toMatchObject({ event_parse_error: 'nested over 512 deep' })
    expect(run.input.event === bomb).toBe(true)
    expect((await owner.api(`/api/triggers/${id}/runs`)).status).toBe(200)
    expect((await readRun(owner, first)).attempt).toBe(1)
  })
})
