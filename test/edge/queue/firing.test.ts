import { describe, expect, it } from 'vitest'
import { eventParams, type ParsingRules, type WebhookFiring } from '../../../edge/queue/firing.ts'
import { isDeeperThan } from '../../../shared/json/json-depth.ts'

const FORM = 'application/x-www-form-urlencoded'

const firing = (contentType: string | null, rules: ParsingRules): WebhookFiring => ({
  source: 'webhook',
  method: 'POST',
  url: 'https://edge.test/webhook/x',
  query: {},
  receivedAt: 0,
  contentType,
  rules,
  headers: {},
})
const event = (type: string | null, body: string | Uint8Array, rules: ParsingRules = 2) =>
  eventParams(firing(type, rules), typeof body === 'string' ? new TextEncoder().encode(body) : body)

describe('`event`', () => {
  it.each<[string | null, string, unknown]>([
    ['application/json', '{"a":1}', { a: 1 }],
    ['application/json; charset=utf-8', '[1]', [1]],
    ['APPLICATION/JSON', '1', 1],
    ['application/json', '"text"', 'text'],
    ['application/json', 'null', null],
    ['application/json', '\ufeff{"a":1}', { a: 1 }],
    ['application/cloudevents+json', '{"a":1}', { a: 1 }],
    [null, '{"a":1}', { a: 1 }],
    ['text/plain', '[1]', [1]],
    ['text/plain', '1', '1'],
    ['text/plain', '"quoted"', '"quoted"'],
    ['text/plain', 'null', 'null'],
    ['text/plain', '{not json', '{not json'],
    ['text/json', '{"a":1}', { a: 1 }],
    ['text/json; charset=utf-8', '1', 1],
    ['application/vnd.api+json', '"text"', 'text'],
    ['application/x-amz-json-1.0', '{"a":1}', { a: 1 }],
    ['application/x-amz-json-1.1', 'null', null],
    ['application/x-amz-json-1.2', '{"a":1}', '{"a":1}'],
    [FORM, '{"a":1}', { a: 1 }],
    [FORM, '[1]', [1]],
    [FORM, 'a=1', { a: '1' }],
    [`${FORM}; charset=UTF-8`, 'a=1&b=&c', { a: '1', b: '', c: '' }],
    [FORM, 'To=%2B1555&Body=a+b%26%C3%A9', { To: '+1555', Body: 'a b&é' }],
    [FORM, 'a=1&a=2&b=3&a=4', { a: ['1', '2', '4'], b: '3' }],
    [FORM, '&a=1&&b=2&', { a: '1', b: '2' }],
    [FORM, 'a=b=c', { a: 'b=c' }],
    [FORM, 'user[name]=x', { 'user[name]': 'x' }],
    [FORM, 'constructor=1&toString=2', { constructor: '1', toString: '2' }],
    [FORM, 'payload=%7B%22ref%22%3A%22main%22%7D', { payload: { ref: 'main' } }],
    [FORM, 'token=x&payload=%5B1%5D', { token: 'x', payload: [1] }],
    [FORM, 'payload=1', { payload: '1' }],
    [FORM, 'payload=%7Bnot+JSON', { payload: '{not JSON' }],
    [FORM, 'payload=%7B%7D&payload=%7B%7D', { payload: ['{}', '{}'] }],
    [FORM, 'other=%7B%7D', { other: '{}' }],
    [FORM, 'a text by curl -d', 'a text by curl -d'],
    [FORM, '<order id="1"/>', '<order id="1"/>'],
    [FORM, '{"cut": "a=1', '{"cut": "a=1'],
    ['multipart/form-data; boundary=b', 'a=1', 'a=1'],
    [null, 'a=1', 'a=1'],
    ['text/html', '{"a":1}', '{"a":1}'],
    ['application/xml', '<a/>', '<a/>'],
    ['application/json', '', null],
    [null, '', null],
  ])('for %j and %j: %j', (type, body, expected) => {
    const params = event(type, body)
    expect(params.event).toEqual(expected)
    expect(params).not.toHaveProperty('event_parse_error')
    expect(params.event_raw).toBe(body)
    expect(params.event_raw_encoding).toBe('utf8')
  })

  it.each(['{', '{"a":1}}', '\ufeff', "{'a':1}", 'NaN'])(
    'is the text, with event_parse_error, for invalid JSON: %j',
    (body) => {
      const params = event('application/json', body)
      expect(params.event).toBe(body)
      expect(params.event_parse_error).toEqual(expect.stringMatching(/./))
    },
  )

  it.each([
    ['an incomplete escape', 'a=1&b=%zz', /percent-encoding/],
    ['a percent sign', 'discount=50%', /percent-encoding/],
    ['escaped bytes that are not UTF-8', 'name=%E9', /percent-encoding/],
    ['an escaped surrogate', 'name=%ED%A0%80', /percent-encoding/],
    ['over 1,000 fields', 'a=1&'.repeat(1_001), /over 1000 fields/],
  ])('is the text, with event_parse_error, for a form with %s', (_, body, reason) => {
    const params = event(FORM, body)
    expect([params.event, params.event_raw]).toEqual([body, body])
    expect(params.event_parse_error).toMatch(reason)
  })

  it('prototype pollution: contains a form field named __proto__ as plain data', () => {
    const { event: fields } = event(
      FORM,
      '__proto__=1&__proto__=2&payload=%7B%22__proto__%22%3A1%7D',
    )
    expect(JSON.stringify(fields)).toBe('{"__proto__":["1","2"],"payload":{"__proto__":1}}')
    expect(({} as Record<string, unknown>)['1']).toBeUndefined()
  })

  it('contains all 1,000 fields of a form as text', () => {
    const body = Array.from({ length: 1_000 }, (_, i) => `f${i}=${i}`).join('&')
    expect(Object.keys(event(FORM, body).event as object)).toHaveLength(1_000)
  })

  it('contains the payload of a form as text if it is nested too deeply', () => {
    const payload = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(event(FORM, `payload=${payload(511)}`).event).toEqual({ payload: expect.any(Array) })
    expect(event(FORM, `payload=${payload(512)}`).event).toEqual({ payload: payload(512) })
  })

  it('is unchanged for a run that was queued before forms were parsed', () => {
    expect(event(FORM, 'a=1', 1).event).toBe('a=1')
    expect(event(FORM, '{"a":1}', 1).event).toEqual({ a: 1 })
    expect(event('text/json', '{"a":1}', 1).event).toBe('{"a":1}')
    const { rules: _, ...stored } = firing(FORM, 1)
    expect(eventParams(stored, new TextEncoder().encode('a=1')).event).toBe('a=1')
  })

  it('is null for bytes that are not UTF-8, whatever the type', () => {
    const params = event('application/json', new Uint8Array([0xff]))
    expect(params).toMatchObject({ event: null, event_raw: '/w==', event_raw_encoding: 'base64' })
  })

  it('is the text of JSON that is nested too deeply to be serialized again', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(event('application/json', nested(512)).event).toBeInstanceOf(Array)
    expect(event('application/json', nested(513))).toMatchObject({
      event: nested(513),
      event_parse_error: 'nested over 512 deep',
    })
    expect(event('text/plain', nested(513))).not.toHaveProperty('event_parse_error')
  })
})

it('event_raw is the base64 of bytes of any length', () => {
  const bytes = new Uint8Array(100_003).fill(0xff)
  const raw = event(null, bytes).event_raw as string
  expect(Uint8Array.from(atob(raw), (c) => c.charCodeAt(0))).toEqual(bytes)
})

it('isDeeper counts arrays and objects, not the values in them', () => {
  expect(isDeeperThan('x', 0)).toBe(false)
  expect(isDeeperThan({}, 0)).toBe(true)
  expect(isDeeperThan({ a: [1] }, 2)).toBe(false)
  expect(isDeeperThan({ a: [{}] }, 2)).toBe(true)
})
