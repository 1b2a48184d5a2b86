import { eq } from 'drizzle-orm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { linkedAccounts } from '../../../edge/db/schema.ts'
import { ACCOUNT_LINKS_MAX } from '../../../shared/limits.ts'
import { SEALED_KEYS_PATH } from '../../../shared/wire/sealed-keys.ts'
import { db } from '../app.ts'
import { between } from '../http/front-harness.ts'
import { FROM_US, sharedWith, signedIn, someUsageKey } from './signed-in.ts'

afterEach(() => vi.restoreAllMocks())
const codeOf = async (response: Response) => {
  const { error, reason = error, message } = await response.json<any>()
  return [response.status, reason, message]
}

describe('linking an account', () => {
  it('lists the account with the hashes of its key, and relays reads', async () => {
    const person = await signedIn()
    const key = someUsageKey()
    const id = await person.link(key, 'Treasury')
    expect(id).toMatch(/^acct_[\w-]{22}$/)
    expect((await person.list()).accounts).toEqual([
      {
        id,
        name: 'Treasury',
        role: 'owner',
        key_hash: `key ${key}`,
        account_hash: 'account of the key',
        opened_at: expect.any(Number),
        shares: [],
      },
    ])
  })

  it('renames it, opens another first, and unlinks it', async () => {
    const person = await signedIn()
    const [first, second] = [await person.link(), await person.link()]
    await person.post(`/console/accounts/${first}/rename`, { name: 'Main' })
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 1000)
    await person.post(`/console/accounts/${first}/open`)
    expect((await person.list()).accounts.map(({ id, name }) => [id, name])).toEqual([
      [first, 'Main'],
      [second, 'Treasury'],
    ])
    expect((await person.post(`/console/accounts/${first}/unlink`)).status).toBe(200)
    expect((await person.list()).accounts.map(({ id }) => id)).toEqual([second])
    expect((await person.send(`/console/accounts/${first}/core/v1/version`)).status).toBe(404)
  })

  it('replaces the key by one of the same account only', async () => {
    const person = await signedIn()
    const id = await person.link()
    const next = someUsageKey()
    const replaced = await person.post(`/console/accounts/${id}/key`, { usage_api_key: next })
    expect(replaced.status).toBe(200)
    expect((await person.list()).accounts[0]!.key_hash).toBe(`key ${next}`)
    await db.update(linkedAccounts).set({ accountHash: '0xother' }).where(eq(linkedAccounts.id, id))
    const other = await person.post(`/console/accounts/${id}/key`, {
      usage_api_key: someUsageKey(),
    })
    expect(await codeOf(other)).toEqual([
      422,
      'unprocessable_entity',
      'usage_api_key: this key belongs to another account.',
    ])
  })

  it('limits the number of accounts, even for parallel requests', async () => {
    const person = await signedIn()
    const many = Array.from({ length: ACCOUNT_LINKS_MAX + 3 }, () =>
      person.post('/console/accounts', { name: 'a', usage_api_key: someUsageKey() }),
    )
    const statuses = (await Promise.all(many)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(ACCOUNT_LINKS_MAX)
    expect(statuses.filter((status) => status === 409)).toHaveLength(3)
  })

  it('stores nothing while the origin is unreachable', async () => {
    const person = await signedIn()
    between((request, send) =>
      new URL(request.url).pathname === SEALED_KEYS_PATH
        ? Promise.reject(new Error('refused'))
        : send(request),
    )
    const body = { name: 'a', usage_api_key: someUsageKey() }
    expect((await person.post('/console/accounts', body)).status).toBe(503)
    expect((await person.list()).accounts).toEqual([])
  })
})

describe('attacks on linking', () => {
  it('account key: is refused, and not stored', async () => {
    const person = await signedIn()
    const usage_api_key = `account+${someUsageKey().slice(8)}`
    const response = await person.post('/console/accounts', { name: 'a', usage_api_key })
    const text = await response.text()
    expect([response.status, text]).toEqual([422, expect.stringContaining('account key')])
    expect(text).not.toContain(usage_api_key)
    expect((await person.list()).accounts).toEqual([])
  })

  it('unknown or malformed key: is refused', async () => {
    const person = await signedIn()
    for (const usage_api_key of [`unknown+${someUsageKey().slice(8)}`, 'short', ''])
      expect((await person.post('/console/accounts', { name: 'a', usage_api_key })).status).toBe(
        422,
      )
  })

  it('stolen database: no row contains the key', async () => {
    const person = await signedIn()
    const key = someUsageKey()
    const id = await person.link(key)
    const [row] = await db.select().from(linkedAccounts).where(eq(linkedAccounts.id, id))
    const bytes = Buffer.from(row!.sealedUsageKey).toString('latin1')
    expect(bytes.length).toBeGreaterThan(44)
    expect(bytes).not.toContain(key)
  })

  it("another user's link: is handled like an unknown one", async () => {
    const [owner, thief] = [await signedIn(), await signedIn()]
    const id = await owner.link()
    for (const [path, body] of [
      ['rename', { name: 'x' }],
      ['key', { usage_api_key: someUsageKey() }],
      ['unlink', {}],
      ['open', {}],
      ['leave', {}],
      ['shares', { email: 'x@example.test', scope: 'manage' }],
      ['shares/shar_x/remove', {}],
    ] as const) {
      const foreign = await thief.post(`/console/accounts/${id}/${path}`, body)
      const unknown = await thief.post(`/console/accounts/acct_${'A'.repeat(22)}/${path}`, body)
      expect([path, await codeOf(foreign)]).toEqual([path, await codeOf(unknown)])
      expect([path, foreign.status]).toEqual([path, 404])
    }
    expect((await owner.list()).accounts[0]).toMatchObject({ id, name: 'Treasury', shares: [] })
  })

  it('a member cannot share, rename, replace the key or unlink', async () => {
    const owner = await signedIn()
    const id = await owner.link()
    const member = await sharedWith(owner, id, 'manage')
    for (const [path, body] of [
      ['rename', { name: 'x' }],
      ['key', { usage_api_key: someUsageKey() }],
      ['unlink', {}],
      ['shares', { email: 'x@example.test', scope: 'manage' }],
    ] as const)
      expect((await member.post(`/console/accounts/${id}/${path}`, body)).status).toBe(404)
  })

  it.each([
    ['another site', { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }],
    ['a subdomain', { origin: 'https://x.edge.test', 'sec-fetch-site': 'same-site' }],
    ['a form', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['no browser', {}],
  ])('CSRF: a request of %s is refused', async (_, headers) => {
    const person = await signedIn()
    const body = { name: 'a', usage_api_key: someUsageKey() }
    expect((await person.post('/console/accounts', body, headers)).status).toBe(403)
    expect((await person.list()).accounts).toEqual([])
  })

  it('session planted: a page of one session does not act in another', async () => {
    const [victim, attacker] = [await signedIn(), await signedIn()]
    const body = { name: 'a', usage_api_key: someUsageKey() }
    const response = await attacker.post('/console/accounts', body, {
      ...FROM_US,
      'x-svc-page': victim.token,
    })
    expect((await codeOf(response)).slice(0, 2)).toEqual([403, 'page_out_of_date'])
    expect((await attacker.list()).accounts).toEqual([])
  })

  it('caches and frames: no response is stored or can be embedded', async () => {
    const person = await signedIn()
    const id = await person.link()
    for (const response of [
      await person.send('/console/accounts'),
      await person.send(`/console/accounts/${id}/core/v1/list_groups`),
      await person.send('/console/accounts/acct_x/core/v1/list_groups'),
      await person.post(`/console/accounts/${id}/unlink`, { extra: 1 }),
    ]) {
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('x-frame-options')).toBe('DENY')
      expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
  })
})
