/** Rates, concurrency, origins and addresses of usage keys, as the owner sets them and as the key experiences them. */
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { AuditEntry } from '../../../shared/audit-log/entry.ts'
import { KEY_LIMIT_CHANGES_PER_MINUTE } from '../../../shared/limits.ts'
import { SEALED_EXECUTE_PATH } from '../../../shared/wire/sealed.ts'
import { startOrigin, type TestOrigin } from './origin.ts'
import { executeRun, sendRuns, storedKey } from './runs-client.ts'
import { EVERY_RIGHT } from './valid-requests.ts'

const ECHO = 'function main(params) { return params }'
const SLOW = `async function main() {
  await new Promise((resume) => setTimeout(resume, 1500))
  return 'done'
}`
const TRIGGER_ID = 'T'.repeat(32)
const newRunId = () => TRIGGER_ID + randomBytes(12).toString('base64url')
const APP = 'https://app.example.com'

let origin: TestOrigin
beforeAll(async () => {
  origin = await startOrigin()
})
afterAll(() => origin.close())

async function holder(fields: object) {
  const key = await origin.account()
  const usage = await origin.usageKey(key, { ...EVERY_RIGHT, ...fields })
  await origin.group(key, { cid_hashes_permitted: [0] })
  const update = (changes: object) =>
    origin.core('update_usage_api_key', {
      key,
      body: { usage_api_key: origin.hashOf(usage), ...changes },
    })
  return { key, usage, update }
}

/** Moves the clock to the start of a minute, so that no minute ends during the test. */
async function startMinute() {
  const { clock, services } = origin
  clock.aheadMs += 60_000 - (services.now() % 60_000)
  // The mirror is out of date until its next poll.
  await expect.poll(() => services.mirror.ageMs).toBeLessThan(5_000)
}

/** Counts results by status and reason. */
function counts(answers: { status: number; body: any }[]) {
  const found: Record<string, number> = {}
  for (const { status, body } of answers) {
    const name = status === 200 ? '200' : `${status} ${body.reason}`
    found[name] = (found[name] ?? 0) + 1
  }
  return found
}

const times = <Value>(count: number, make: () => Value) => Array.from({ length: count }, make)

describe('max_requests_per_minute', () => {
  it('attack: parallel requests cannot exceed it', async () => {
    const { usage } = await holder({ max_requests_per_minute: 3 })
    await startMinute()
    const answers = await Promise.all(times(10, () => origin.run(usage, ECHO)))
    expect(counts(answers)).toEqual({ '200': 3, '429 key_rate_reached': 7 })
  })

  it('counts reads too, and says when the next minute begins', async () => {
    const { usage } = await holder({ max_requests_per_minute: 1 })
    await startMinute()
    const read = () => origin.core('list_wallets_in_group?group_id=1', { key: usage })
    expect((await read()).status).toBe(200)
    const { status, headers } = await read()
    expect(status).toBe(429)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(50)
    await startMinute()
    expect((await read()).status).toBe(200)
  })

  it('does not limit the account key, or another usage key', async () => {
    const { key, usage } = await holder({ max_requests_per_minute: 1 })
    const other = await origin.usageKey(key, EVERY_RIGHT)
    await startMinute()
    await origin.run(usage, ECHO)
    for (const free of [key, other])
      expect(counts(await Promise.all(times(3, () => origin.run(free, ECHO))))).toEqual({
        '200': 3,
      })
  })

  it('applies at once when it is raised or removed', async () => {
    const { usage, update } = await holder({ max_requests_per_minute: 1 })
    await startMinute()
    const run = async () => (await origin.run(usage, ECHO)).status
    expect([await run(), await run()]).toEqual([200, 429])
    await update({ max_requests_per_minute: 2 })
    expect([await run(), await run()]).toEqual([200, 429])
    await update({ remove_limits: ['max_requests_per_minute'] })
    expect(await run()).toBe(200)
  })

  it('attack: runs of a trigger count too, and a refused run can be executed later', async () => {
    const { usage } = await holder({ max_requests_per_minute: 2 })
    await startMinute()
    const credential = await storedKey(origin, usage, TRIGGER_ID)
    const runs = times(3, () => ({ id: newRunId(), code: ECHO }))
    const messages = await sendRuns(origin, { credential, runs })
    const refused = messages.filter(({ response }) => response.state === 'refused')
    expect(messages.filter(({ response }) => response.state === 'ended')).toHaveLength(2)
    expect(refused).toMatchObject([
      { response: { status: 429, error: 'too_many_requests', reason: 'key_rate_reached' } },
    ])
    await startMinute()
    const again = { credential, run: { id: refused[0]!.run_id! }, code: ECHO }
    expect(await executeRun(origin, again)).toMatchObject({ state: 'ended' })
  })

  it('returns the outcome of a run that has already been executed, without counting it', async () => {
    const { usage } = await holder({ max_requests_per_minute: 1 })
    await startMinute()
    const credential = await storedKey(origin, usage, TRIGGER_ID)
    const run = { credential, run: { id: newRunId() }, code: ECHO }
    expect(await executeRun(origin, run)).toMatchObject({ state: 'ended' })
    expect(await executeRun(origin, run)).toMatchObject({ state: 'ended' })
  })
})

describe('max_concurrent', () => {
  it('attack: parallel requests cannot exceed it', async () => {
    const { usage } = await holder({ max_concurrent: 1 })
    const answers = await Promise.all(times(5, () => origin.run(usage, SLOW)))
    expect(counts(answers)).toEqual({ '200': 1, '429 key_concurrency_reached': 4 })
    expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('1')
  })

  it('is free again after each run, also after one that fails or is refused', async () => {
    const { usage, update } = await holder({ max_concurrent: 1 })
    expect((await origin.run(usage, 'function main() { throw new Error("no") }')).status).toBe(500)
    await update({ execute_in_groups: [] })
    expect((await origin.run(usage, ECHO)).status).toBe(403)
    await update({ execute_in_groups: [0] })
    expect((await origin.run(usage, ECHO)).status).toBe(200)
  })

  it('attack: runs of triggers and direct calls share it', async () => {
    const { usage } = await holder({ max_concurrent: 1 })
    const credential = await storedKey(origin, usage, TRIGGER_ID)
    const id = newRunId()
    expect(
      await executeRun(origin, { credential, run: { id }, code: SLOW, wait_ms: 0 }),
    ).toMatchObject({ state: 'running' })
    const { status, body } = await origin.run(usage, ECHO)
    expect([status, body.reason]).toEqual([429, 'key_concurrency_reached'])
    const other = { credential, run: { id: newRunId() }, code: ECHO }
    expect(await executeRun(origin, other)).toMatchObject({ state: 'refused', status: 429 })
    expect(await executeRun(origin, { credential, run: { id }, code: SLOW })).toMatchObject({
      state: 'ended',
    })
    await expect.poll(async () => (await origin.run(usage, ECHO)).status).toBe(200)
  })
})

it('log flooding: an account can change caps and limits only so often, and other accounts are not affected', async () => {
  const [one, other] = [await holder({}), await holder({})]
  await startMinute()
  const { account: max } = KEY_LIMIT_CHANGES_PER_MINUTE
  for (let n = 1; n <= max; n++) expect((await one.update({ max_concurrent: n })).status).toBe(200)
  const further = await one.update({ max_concurrent: 1 })
  expect(further.status).toBe(429)
  expect(further.body.message).toContain('changed spending caps and limits of keys 60 times')
  const cap = { spend_cap_cents: 5, spend_window_seconds: 60 }
  expect((await one.update(cap)).status).toBe(429)
  expect((await other.update(cap)).status).toBe(200)
  await startMinute()
  expect((await one.update(cap)).status).toBe(200)
})

describe('allowed_origins', () => {
  const run = (key: string, headers: Record<string, string>) =>
    origin.core('svc_action', { key, headers, body: { code: ECHO, js_params: {} } })

  it('permits its origins, whose pages alone can read the response', async () => {
    const { usage } = await holder({ allowed_origins: [APP, 'http://localhost:5173'] })
    for (const from of [APP, 'http://localhost:5173']) {
      const { status, headers } = await run(usage, { origin: from })
      expect([status, headers.get('access-control-allow-origin')]).toEqual([200, from])
      expect(headers.get('vary')).toMatch(/origin/i)
    }
  })

  it('attack: refuses another site, a missing Origin, and look-alikes', async () => {
    const { usage } = await holder({ allowed_origins: [APP] })
    const attempts = [
      'https://evil.example',
      'null',
      'https://app.example.com.evil.example',
      'https://app.example.com:8443',
      'http://app.example.com',
      'https://APP.example.com',
      `${APP}/`,
      `${APP}, https://evil.example`,
      undefined,
    ]
    for (const from of attempts) {
      const { status, body, headers } = await run(usage, from === undefined ? {} : { origin: from })
      expect([from, status, body.reason]).toEqual([from, 403, 'origin_not_allowed'])
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  it('attack: a spoofed Origin of a program is still bound by the rate of the key', async () => {
    const limits = { allowed_origins: [APP], max_requests_per_minute: 2 }
    const { usage } = await holder(limits)
    await startMinute()
    const answers = await Promise.all(times(6, () => run(usage, { origin: APP })))
    expect(counts(answers)).toEqual({ '200': 2, '429 key_rate_reached': 4 })
  })

  it('leaves preflights and other keys readable by every site', async () => {
    const { key } = await holder({ allowed_origins: [APP] })
    const preflight = await origin.app.request('/core/v1/svc_action', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-api-key',
      },
    })
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    const { headers } = await run(key, { origin: 'https://evil.example' })
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })

  it('applies to end-to-end encrypted requests', async () => {
    const { key, usage } = await holder({ allowed_origins: [APP] })
    const execute = async (headers: Record<string, string>) => {
      const fields = { credential: { api_key: usage }, code: ECHO, js_params: {}, wait_ms: 5_000 }
      const { body, open } = await origin.seal(SEALED_EXECUTE_PATH, fields, 'base')
      const response = await origin.app.request(SEALED_EXECUTE_PATH, {
        method: 'POST',
        body,
        headers,
      })
      return JSON.parse(
        Buffer.from(await open(new Uint8Array(await response.arrayBuffer()))).toString(),
      )
    }
    expect(await execute({ origin: APP })).toMatchObject({ state: 'ended' })
    for (const headers of [{}, { origin: 'https://evil.example' }])
      expect(await execute(headers)).toMatchObject({ status: 403, reason: 'origin_not_allowed' })
    const refused = async () => {
      const { body } = await origin.core('audit_log?page_size=5', { key })
      return (body.entries as AuditEntry[]).filter(({ outcome }) => outcome === 'refused')
    }
    await expect.poll(async () => (await refused()).length, { timeout: 10_000 }).toBe(1)
    expect((await refused())[0]).toMatchObject({
      operation: 'svc_action',
      details: { code: 'origin_not_allowed' },
    })
  })

  it.each([
    '*',
    'https://*.example.com',
    'app.example.com',
    `${APP}/`,
    'https://app.example.com:443',
    'https://App.example.com',
    'ftp://app.example.com',
    'null',
    'https://user@app.example.com',
  ])('rejects %j as an origin', async (text) => {
    const { update } = await shared()
    const { status, body } = await update({ allowed_origins: [text] })
    expect([status, body.message]).toEqual([400, expect.stringContaining('allowed_origins[0]')])
  })
})

let sharedHolder: Promise<Awaited<ReturnType<typeof holder>>> | undefined
const shared = () => (sharedHolder ??= holder({}))

describe('allowed_ips', () => {
  const from = async (usage: string, address: string, headers: Record<string, string> = {}) => {
    const request = new Request('https://origin.test/core/v1/svc_action', {
      method: 'POST',
      headers: { 'x-api-key': usage, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ code: ECHO, js_params: {} }),
    })
    const env = { incoming: { socket: { remoteAddress: address } } }
    const response = await origin.app.fetch(request, env)
    return [response.status, ((await response.json()) as { reason?: string }).reason]
  }
  const ALLOWED = [200, undefined]
  const REFUSED = [403, 'address_not_allowed']

  it('permits its networks, and IPv4 clients of a dual-stack socket', async () => {
    const { usage } = await holder({
      allowed_ips: ['203.0.113.0/24', '2001:db8::/32', '192.0.2.7'],
    })
    for (const address of [
      '203.0.113.9',
      '::ffff:203.0.113.9',
      '::ffff:cb00:7109',
      '2001:db8:1::5',
      '192.0.2.7',
    ])
      expect([address, await from(usage, address)]).toEqual([address, ALLOWED])
  })

  it('attack: refuses other addresses, in every spelling', async () => {
    const { usage } = await holder({ allowed_ips: ['203.0.113.0/24', '2001:db8::/32'] })
    for (const address of [
      '203.0.114.1',
      '::ffff:203.0.114.1',
      '::203.0.113.9',
      '64:ff9b::203.0.113.9',
      '2001:db9::1',
      '::1',
      'not an address',
      '',
    ])
      expect([address, await from(usage, address)]).toEqual([address, REFUSED])
  })

  it('attack: an IPv6 network of all zeros does not permit IPv4-mapped addresses', async () => {
    const { usage } = await holder({ allowed_ips: ['::/16'] })
    expect(await from(usage, '::ffff:198.51.100.1')).toEqual(REFUSED)
    expect(await from(usage, '0:1::1')).toEqual(ALLOWED)
  })

  it('is logged without the address in the permanent part of the entry', async () => {
    const { key, usage } = await holder({ allowed_ips: ['203.0.113.0/24'] })
    expect(await from(usage, '198.51.100.1')).toEqual(REFUSED)
    const last = async () =>
      (await origin.core('audit_log?page_size=1', { key })).body.entries[0] as AuditEntry
    await expect.poll(async () => (await last()).outcome, { timeout: 10_000 }).toBe('refused')
    const entry = await last()
    expect(entry).toMatchObject({
      operation: 'svc_action',
      actor: { kind: 'usage_key', id: origin.hashOf(usage).slice(0, 18) },
      details: { code: 'address_not_allowed' },
      client_address: '198.51.100.1',
      request_id: expect.any(String),
    })
    expect(JSON.stringify(entry.details)).not.toContain('198.51')
  })

  it('attack: headers with another address are ignored', async () => {
    const { usage } = await holder({ allowed_ips: ['203.0.113.0/24'] })
    const headers = {
      'x-forwarded-for': '203.0.113.9',
      'x-real-ip': '203.0.113.9',
      'cf-connecting-ip': '203.0.113.9',
      forwarded: 'for=203.0.113.9',
    }
    expect(await from(usage, '198.51.100.1', headers)).toEqual(REFUSED)
  })

  it('checks the address in the envelope of a forwarded request', async () => {
    const { usage } = await holder({ allowed_ips: ['203.0.113.0/24'] })
    const read = async (clientAddress: string) => {
      const request = new Request('https://origin.test/core/v1/list_wallets_in_group?group_id=1', {
        headers: { 'x-api-key': usage },
      })
      return (await origin.app.fetch(request, { envelope: { clientAddress } })).status
    }
    expect([await read('203.0.113.9'), await read('198.51.100.1'), await read('')]).toEqual([
      200, 403, 403,
    ])
  })

  it.each([
    '203.0.113.1/24',
    '203.0.113.0/33',
    '::ffff:203.0.113.0/120',
    '0:0:0:0:0:ffff:cb00:7100/120',
    '2001:db8::1/32',
    'fe80::1%eth0',
    'example.com',
    '203.0.113',
    '10.0.0.0/08',
    '10.0.0.0/8/8',
    '',
  ])('rejects %j as a network', async (text) => {
    const { update } = await shared()
    const { status, body } = await update({ allowed_ips: [text] })
    expect([status, body.message]).toEqual([400, expect.stringContaining('allowed_ips[0]')])
  })
})

describe('attack: a stranger puts a browser-safe key into a trigger', () => {
  it.each([{ allowed_origins: [APP] }, { allowed_ips: ['203.0.113.0/24'] }])(
    'is refused with %j, unless the owner allows triggers',
    async (restriction) => {
      const { usage, update } = await holder(restriction)
      const credential = await storedKey(origin, usage, TRIGGER_ID)
      const run = () => executeRun(origin, { credential, run: { id: newRunId() }, code: ECHO })
      const refused = { state: 'refused', status: 403, reason: 'key_not_for_triggers' }
      expect(await run()).toMatchObject(refused)
      expect((await update({ allow_triggers: true })).status).toBe(200)
      expect(await run()).toMatchObject({ state: 'ended' })
      await update({ allow_triggers: false })
      expect(await run()).toMatchObject(refused)
    },
  )
})

it('lists all limits, and removes them with the key', async () => {
  const limits = {
    max_requests_per_minute: 60,
    max_concurrent: 2,
    allowed_origins: [APP],
    allowed_ips: ['203.0.113.0/24'],
    allow_triggers: true,
  }
  const { key, usage } = await holder(limits)
  const [listed] = (await origin.core('list_api_keys', { key })).body
  expect(listed).toMatchObject(limits)
  const hash = origin.hashOf(usage)
  await origin.core('remove_usage_api_key', { key, body: { usage_api_key: hash } })
  const removed = { accountHash: origin.hashOf(key), keyHash: hash }
  await expect.poll(() => origin.services.keyLimits.ofKey(removed)).toBeUndefined()
})
