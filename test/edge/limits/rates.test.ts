import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RateCap } from '../../../edge/limits/rate-cap.ts'
import { RATES, type RateName } from '../../../edge/limits/rates.ts'
import { requireRate } from '../../../edge/limits/require-rate.ts'
import { SEALED_CONTENT_TYPE } from '../../../shared/envelope/format.ts'
import { SEALED_EXECUTE_PATH } from '../../../shared/wire/sealed.ts'
import { edge, env, fire, random, someOwner } from '../app.ts'
import { hidden, Person } from '../pages/person.ts'
import { production, someKey } from '../http/front-harness.ts'

/** Uses up the caller's burst. While the clock is stopped, its next call exceeds the rate. */
async function useUp(name: RateName, caller: string): Promise<void> {
  const known = new Set((await listDurableObjectIds(env.RATE_CAP)).map(String))
  await requireRate(env, name, caller)
  const ids = await listDurableObjectIds(env.RATE_CAP)
  const [id] = ids.filter((one) => !known.has(String(one)))
  await runInDurableObject(env.RATE_CAP.get(id!), (cap: RateCap) => {
    let taken = 1
    while (cap.take(RATES[name]) === 0) taken++
    expect(taken).toBe(RATES[name].burst)
  })
}

beforeEach(() => void vi.spyOn(Date, 'now').mockReturnValue(Date.now()))
afterEach(() => vi.restoreAllMocks())

async function refusal(response: Response) {
  const { error } = await response.json<{ error: string }>()
  const retryAfter = Number(response.headers.get('retry-after'))
  return { status: response.status, error, waits: retryAfter >= 1 && retryAfter <= 60 }
}
const TOO_MANY = { status: 429, error: 'too_many_requests', waits: true }

const from = (address: string, headers: Record<string, string> = {}) =>
  production()('/core/v1/version', { headers: { 'cf-connecting-ip': address, ...headers } })

describe('the core API', () => {
  it('returns 429 to an address above its rate with any key, and not to other addresses', async () => {
    await useUp('core_address', '203.0.113.7')
    expect(await refusal(await from('203.0.113.7'))).toEqual(TOO_MANY)
    expect(await refusal(await from('203.0.113.7', { 'x-api-key': someKey() }))).toEqual(TOO_MANY)
    expect(await refusal(await from('203.0.113.7', { 'x-api-key': 'a guess' }))).toEqual(TOO_MANY)
    expect(await refusal(await from('::ffff:203.0.113.7'))).toEqual(TOO_MANY)
    expect((await from('203.0.113.8')).status).toBe(200)
  })

  it('address hopping: counts an IPv6 /64 as one address', async () => {
    await useUp('core_address', '2001:db8:1:2::/64')
    expect(await refusal(await from('2001:db8:1:2:aaaa::1'))).toEqual(TOO_MANY)
    expect((await from('2001:db8:1:3::1')).status).toBe(200)
  })

  it('returns 429 for a key above its rate from any address, readable across origins', async () => {
    const key = someKey()
    await useUp('core_key', key)
    const asks = (address: string) =>
      production()('/core/v1/list_groups', {
        headers: { 'cf-connecting-ip': address, 'x-api-key': key },
      })
    const refused = await asks('198.51.100.1')
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
    expect(await refusal(refused)).toEqual(TOO_MANY)
    expect(await refusal(await asks('198.51.100.2'))).toEqual(TOO_MANY)
  })
})

describe('an end-to-end sealed request', () => {
  it('counts toward the rate of its address', async () => {
    await useUp('core_address', '203.0.113.70')
    const send = (address: string) =>
      production()(SEALED_EXECUTE_PATH, {
        method: 'POST',
        body: 'x',
        headers: { 'content-type': SEALED_CONTENT_TYPE, 'cf-connecting-ip': address },
      })
    expect(await refusal(await send('203.0.113.70'))).toEqual(TOO_MANY)
    expect((await send('203.0.113.71')).status).toBe(400)
  })
})

describe('the trigger API', () => {
  it('returns 429 for writes of a user above the rate, but not for reads or other users', async () => {
    const [owner, other] = [await someOwner(), await someOwner()]
    await useUp('api_write', owner.id)
    const init = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } }
    expect(await refusal(await owner.api('/api/triggers', init))).toEqual(TOO_MANY)
    expect((await owner.api('/api/triggers')).status).toBe(200)
    expect((await other.api('/api/triggers', init)).status).toBe(422)
  })

  it('counts actions on pages for the same user, and pages stay readable', async () => {
    const person = await Person.signedIn()
    const known = new Set((await listDurableObjectIds(env.RATE_CAP)).map(String))
    const { id } = await person.trigger({ max_runs_per_minute: 1 })
    const counted = await listDurableObjectIds(env.RATE_CAP)
    const [cap] = counted.filter((one) => !known.has(String(one)))
    const run = await fire(id)
    const page = await person.get(`/triggers/${id}`)
    const ofRun = await person.get(`/runs/${run}`)
    const form = await person.get('/triggers/new?kind=schedule')
    const check = /data-check-csrf="([^"]*)"/.exec(form.text)![1]!
    await runInDurableObject(env.RATE_CAP.get(cap!), (own: RateCap) => {
      while (own.take(RATES.api_write) === 0);
    })
    for (const [path, of] of [
      [`/triggers/${id}/test`, page],
      [`/triggers/${id}/purge`, page],
      [`/triggers/${id}/disable`, page],
      [`/triggers/${id}/delete`, page],
      [`/runs/${run}/replay`, ofRun],
      [`/runs/${run}/cancel`, ofRun],
    ] as const) {
      const sent = { csrf: hidden(of, 'csrf', path), what: 'event', json: '{}' }
      expect([path, (await person.post(path, sent)).status]).toEqual([path, 429])
    }
    const asked = { csrf: check, kind: 'schedule', fields: { cron: '* * * * *' } }
    expect((await person.ask('/triggers/preview', asked)).status).toBe(429)
    expect((await person.get(`/triggers/${id}`)).status).toBe(200)
  })

  it('returns 401 without a token, and counts nothing', async () => {
    expect((await edge('/api/triggers', { method: 'POST', body: '{}' })).status).toBe(401)
  })
})

describe('agent requests', () => {
  it('request flood: limits registrations per address', async () => {
    await useUp('agent_request_address', '203.0.113.90')
    const send = (address: string) =>
      production()('/agent/requests', {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json', 'cf-connecting-ip': address },
      })
    expect(await refusal(await send('203.0.113.90'))).toEqual(TOO_MANY)
    expect((await send('203.0.113.91')).status).toBe(422)
  })
})

describe('rejected tokens', () => {
  const asks = (address: string, authorization: string) =>
    production()('/api/me', { headers: { 'cf-connecting-ip': address, authorization } })
  const unknown = () => `Bearer ${Buffer.from(random(48)).toString('base64url')}`

  it('token guessing: return 429 to an address above the rate, except for a valid token', async () => {
    const owner = await someOwner()
    await useUp('refused_token_address', '203.0.113.40')
    for (const guess of [unknown(), 'Bearer short', 'Basic x'])
      expect(await refusal(await asks('203.0.113.40', guess))).toEqual(TOO_MANY)
    expect((await asks('203.0.113.40', `Bearer ${owner.token}`)).status).toBe(200)
    expect((await asks('203.0.113.41', unknown())).status).toBe(401)
  })

  it('are counted, unlike valid tokens and requests without a token', async () => {
    const owner = await someOwner()
    const before = (await listDurableObjectIds(env.RATE_CAP)).length
    const counters = async () => (await listDurableObjectIds(env.RATE_CAP)).length - before
    await asks('203.0.113.42', `Bearer ${owner.token}`)
    await production()('/api/me', { headers: { 'cf-connecting-ip': '203.0.113.42' } })
    expect(await counters()).toBe(0)
    await asks('203.0.113.42', unknown())
    expect(await counters()).toBe(1)
  })

  it('approval polling: ten agents behind one address may poll once a second for 15 minutes', async () => {
    const name = 'refused_token_address'
    const cap = env.RATE_CAP.getByName('ten agents')
    const start = Date.now()
    await runInDurableObject(cap, (bucket: RateCap) => {
      for (let second = 0; second < 900; second++) {
        vi.mocked(Date.now).mockReturnValue(start + second * 1000)
        for (let agent = 0; agent < 10; agent++) expect(bucket.take(RATES[name])).toBe(0)
      }
    })
  })
})

describe('sign-in', () => {
  const ask = (email: string) =>
    edge('/sign-in', {
      method: 'POST',
      body: new URLSearchParams({ email }),
      headers: { origin: 'https://edge.test', 'content-type': 'application/x-www-form-urlencoded' },
    })

  it('sends an e-mail', async () => {
    expect((await ask('one@example.test')).status).toBe(200)
  })

  it('mail bombing: limits e-mails per mailbox, whatever the tag', async () => {
    await useUp('sign_in_mailbox', 'flooded@example.test')
    const response = await ask('Flooded+tag@example.test')
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    expect(await response.text()).not.toContain('on its way')
  })

  it('mail bombing: limits e-mails per sending address, whatever the mailbox', async () => {
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const { burst } = RATES.sign_in_address
    for (let n = 1; n < burst; n++) await ask(`mailbox-${n}@example.test`)
    await ask('last@example.test')
    const response = await ask('one-more@example.test')
    expect([response.status, response.headers.get('content-type')]).toEqual([
      429,
      expect.stringContaining('text/html'),
    ])
  })
})
