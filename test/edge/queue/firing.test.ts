import { describe, expect, it } from 'vitest'
import { eventParams, type WebhookFiring } from '../../../edge/queue/firing.ts'
import { isDeeper } from '../../../shared/json-depth.ts'

const firing = (contentType: string | null): WebhookFiring => ({
  source: 'webhook',
  method: 'POST',
  url: 'https://edge.test/webhook/x',
  query: {},
  receivedAt: 0,
  contentType,
  headers: {},
})
const event = (type: string | null, body: string | Uint8Array) =>
  eventParams(firing(type), typeof body === 'string' ? new TextEncoder().encode(body) : body)

describe('`event` is', () => {
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
    ['application/x-www-form-urlencoded', '{"a":1}', { a: 1 }],
    ['application/x-www-form-urlencoded', 'a=1', 'a=1'],
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
    'the text, with event_parse_error, for JSON that does not parse: %j',
    (body) => {
      const params = event('application/json', body)
      expect(params.event).toBe(body)
      expect(params.event_parse_error).toEqual(expect.stringMatching(/./))
    },
  )

  it('null for other bytes, of any type', () => {
    const params = event('application/json', new Uint8Array([0xff]))
    expect(params).toMatchObject({ event: null, event_raw: '/w==', event_raw_encoding: 'base64' })
  })

  it('the text of JSON that is nested too deeply to be written again', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(event('application/json', nested(512)).event).toBeInstanceOf(Array)
    expect(event('application/json', nested(513))).toMatchObject({
      event: nested(513),
      event_parse_error: 'nested over 512 deep',
    })
    expect(event('text/plain', nested(513))).not.toHaveProperty('event_parse_error')
  })
})

it('event_raw is base64 of bytes of any length', () => {
  const bytes = new Uint8Array(100_003).fill(0xff)
  const raw = event(null, bytes).event_raw as string
  expect(Uint8Array.from(atob(raw), (c) => c.charCodeAt(0))).toEqual(bytes)
})

it('depth counts arrays and objects, not what is in them', () => {
  expect(isDeeper('x', 0)).toBe(false)
  expect(isDeeper({}, 0)).toBe(true)
  expect(isDeeper({ a: [1] }, 2)).toBe(false)
  expect(isDeeper({ a: [{}] }, 2)).toBe(true)
})
