/** Events of the payment processor pass through the edge; the origin checks their signatures. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { RATES } from '../../../edge/limits/rates.ts'
import { requireRate } from '../../../edge/limits/require-rate.ts'
import { PROCESSOR_EVENT_MAX_BYTES } from '../../../shared/limits.ts'
import { PROCESSOR_WEBHOOK_PATH } from '../../../shared/wire/core-routes.ts'
import { asHeader } from '../../doubles/core-script.ts'
import { edge, env, random } from '../app.ts'
import { asked, between, edgeWith, isEvidence, production } from './front-harness.ts'

afterEach(() => vi.restoreAllMocks())

const SIGNATURE = `t=1760000000,v1=${'0a'.repeat(32)},v1=${'ff'.repeat(32)},v0=${'00'.repeat(32)}`
const event = (body: BodyInit, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  body,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'stripe-signature': SIGNATURE,
    ...headers,
  },
})
/** JSON with unusual whitespace and member order, which would not survive parsing and serializing. */
const TEXT = '{\n  "id": "evt_1",\n  "b":1.0,"a" : "\\u00e9é"\n}\n'

describe('an event', () => {
  it('reaches the origin byte for byte, with its signature', async () => {
    for (const body of [new TextEncoder().encode(TEXT), random(60_000), new Uint8Array()]) {
      const request = await asked(PROCESSOR_WEBHOOK_PATH, event(body))
      expect(Buffer.from(request.body, 'base64').equals(Buffer.from(body))).toBe(true)
      expect(request.headers).toMatchObject({
        'stripe-signature': SIGNATURE,
        'content-type': 'application/json; charset=utf-8',
      })
    }
  })

  it('gets the response of the origin, including its Retry-After', async () => {
    for (const status of [200, 400, 503]) {
      const headers: [string, string][] = [
        ['content-type', 'application/json'],
        ['retry-after', '11'],
      ]
      const script = asHeader({ status, headers, text: '{"received":true}' })
      const response = await edge(PROCESSOR_WEBHOOK_PATH, event(TEXT, script))
      expect([response.status, await response.text()]).toEqual([status, '{"received":true}'])
      expect(response.headers.get('retry-after')).toBe('11')
    }
  })

  it('forwards only its content type and signature', async () => {
    const address = { 'cf-connecting-ip': '203.0.113.9', 'x-forwarded-for': '203.0.113.9' }
    const left = between()
    await production()(PROCESSOR_WEBHOOK_PATH, event(TEXT, { ...address, cookie: 'svc=1' }))
    const [sent] = left.filter((request) => request.url.includes(PROCESSOR_WEBHOOK_PATH))
    expect([...sent!.headers.keys()].toSorted()).toEqual(['content-type', 'stripe-signature'])
  })

  it('is forwarded up to the maximum size, and is 413 above it', async () => {
    const left = between()
    const largest = new Uint8Array(PROCESSOR_EVENT_MAX_BYTES)
    expect((await edge(PROCESSOR_WEBHOOK_PATH, event(largest))).status).toBe(200)
    const sent = left.length
    const larger = new Uint8Array(PROCESSOR_EVENT_MAX_BYTES + 1)
    for (const body of [larger, new Blob([larger]).stream()])
      expect((await edge(PROCESSOR_WEBHOOK_PATH, event(body))).status).toBe(413)
    expect(left).toHaveLength(sent)
  })

  it('gets 503 with Retry-After if the origin does not respond', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const response = await edge(PROCESSOR_WEBHOOK_PATH, event(TEXT, asHeader({ break: true })))
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
  })

  it('is not sent to an unverified origin, and gets 503 with Retry-After', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const left = between((request, send) =>
      isEvidence(request) ? new Response('another', { status: 200 }) : send(request),
    )
    const response = await edgeWith()(PROCESSOR_WEBHOOK_PATH, event(TEXT))
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
    expect(left.filter((request) => !isEvidence(request))).toEqual([])
  })
})

describe('a burst of events', () => {
  const address = '203.0.113.21'
  const from = (path: string, init: RequestInit) => {
    const headers = { ...init.headers, 'cf-connecting-ip': address }
    return production()(path, { ...init, headers })
  }

  it('is not limited by other requests from its address', async () => {
    vi.spyOn(Date, 'now').mockReturnValue(Date.now())
    for (let n = 0; n < RATES.core_address.burst; n++)
      await requireRate(env, 'core_address', address)
    expect((await from('/core/v1/version', {})).status).toBe(429)
    expect((await from(PROCESSOR_WEBHOOK_PATH, event(TEXT))).status).toBe(200)
  })

  it('forged events: are rate limited per address, with Retry-After', async () => {
    vi.spyOn(Date, 'now').mockReturnValue(Date.now())
    const { burst } = RATES.processor_address
    for (let n = 0; n < burst; n++) await requireRate(env, 'processor_address', address)
    const left = between()
    const response = await from(PROCESSOR_WEBHOOK_PATH, event(TEXT))
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1'])
    expect(left).toEqual([])
  })
})
