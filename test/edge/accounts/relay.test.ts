import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { linkedAccounts } from '../../../edge/db/schema.ts'
import { endAllSessions } from '../../../edge/identity/sessions.ts'
import { SEALED_HEAD_MAX_BYTES } from '../../../shared/limits.ts'
import { db, edge, random } from '../app.ts'
import { FROM_US, sharedWith, type SignedIn, signedIn, someUsageKey } from './signed-in.ts'

const key = someUsageKey()
let owner: SignedIn
let id: string
beforeAll(async () => {
  owner = await signedIn()
  id = await owner.link(key)
})
const core = (path: string) => `/console/accounts/${id}/core/v1/${path}`
const reasonOf = async (response: Response) => {
  const { error, reason = error } = await response.json<any>()
  return [response.status, reason]
}

describe('a relayed request', () => {
  it('reaches the origin with the stored key, and without cookies and tokens', async () => {
    const response = await owner.send(core('list_groups?page_number=0'))
    expect(response.status).toBe(200)
    const { headers, ...asked } = await response.json<any>()
    expect(asked).toMatchObject({
      method: 'GET',
      path: '/core/v1/list_groups',
      query: '?page_number=0',
      sealed: true,
      stored_key: key,
    })
    expect(headers).toEqual({ origin: 'https://edge.test' })
  })

  it('passes on the body and the Idempotency-Key', async () => {
    const response = await owner.post(
      core('svc_action'),
      { code: 'x' },
      {
        ...FROM_US,
        'idempotency-key': 'k1',
      },
    )
    const { body, headers, stored_key } = await response.json<any>()
    expect(Buffer.from(body, 'base64').toString()).toBe('{"code":"x"}')
    expect(headers).toMatchObject({ 'idempotency-key': 'k1', 'content-type': 'application/json' })
    expect(stored_key).toBe(key)
  })
})

describe('attacks on the relay', () => {
  it('scope escalation: a share does not exceed its scope', async () => {
    const cases = {
      view: ['svc_action', 'create_wallet', 'add_group', 'billing/create_payment_intent'],
      run: ['create_wallet', 'send_transaction', 'add_action_to_group'],
      manage: [],
    }
    for (const [scope, refused] of Object.entries(cases)) {
      const member = await sharedWith(owner, id, scope)
      expect((await member.send(core('list_groups'))).status).toBe(200)
      for (const path of refused)
        expect([path, await reasonOf(await member.post(core(path)))]).toEqual([
          path,
          [403, 'share_scope'],
        ])
      expect(await reasonOf(await member.send(core('audit_log')))).toEqual([403, 'share_scope'])
      for (const path of ['add_usage_api_key', 'update_usage_api_key', 'rotate_account_api_key'])
        expect(await reasonOf(await member.post(core(path)))).toEqual([403, 'account_key_required'])
    }
  })

  it('the owner cannot use it where the account key is needed', async () => {
    for (const path of ['add_usage_api_key', 'rotate_account_api_key', 'new_account', 'x'])
      expect(await reasonOf(await owner.post(core(path)))).toEqual([403, 'account_key_required'])
  })

  it("another user's link, an open invitation and a removed share give no access", async () => {
    const stranger = await signedIn()
    expect((await stranger.send(core('list_groups'))).status).toBe(404)
    await owner.post(`/console/accounts/${id}/shares`, { email: stranger.email, scope: 'view' })
    expect((await stranger.send(core('list_groups'))).status).toBe(404)
    const [{ id: share }] = (await stranger.list()).invitations as unknown as [{ id: string }]
    await stranger.post(`/console/invitations/${share}/accept`)
    expect((await stranger.send(core('list_groups'))).status).toBe(200)
    await owner.post(`/console/accounts/${id}/shares/${share}/remove`)
    expect((await stranger.send(core('list_groups'))).status).toBe(404)
    expect((await stranger.list()).accounts).toEqual([])
  })

  it('signed out everywhere: the relay is closed for every session', async () => {
    const person = await signedIn()
    const own = await person.link()
    await endAllSessions({ db, now: Date.now, random }, person.id)
    expect((await person.send(`/console/accounts/${own}/core/v1/list_groups`)).status).toBe(401)
    expect((await person.send('/console/accounts')).status).toBe(401)
  })

  it('moved key: a sealed key in the row of another link or owner does not open', async () => {
    const thief = await signedIn()
    const own = await thief.link()
    const [row] = await db.select().from(linkedAccounts).where(eq(linkedAccounts.id, id))
    const stolen = { sealedUsageKey: row!.sealedUsageKey }
    await db.update(linkedAccounts).set(stolen).where(eq(linkedAccounts.id, own))
    expect((await thief.send(`/console/accounts/${own}/core/v1/list_groups`)).status).toBe(503)
    const twin = await owner.link()
    await db.update(linkedAccounts).set(stolen).where(eq(linkedAccounts.id, twin))
    expect((await owner.send(`/console/accounts/${twin}/core/v1/list_groups`)).status).toBe(503)
  })

  it.each(['x-api-key', 'authorization', 'x-wallet-auth'])(
    'second credential: a request with %s is refused',
    async (name) => {
      const value = `Bearer ${someUsageKey()}`
      const response = await owner.send(core('list_groups'), {}, { ...FROM_US, [name]: value })
      expect(response.status).toBe(400)
    },
  )

  it.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a subdomain', { 'sec-fetch-site': 'same-site' }],
    ['a frame or link, without the token', { 'sec-fetch-site': 'none', 'x-svc-page': '' }],
    ['a page of ours, without the token', { ...FROM_US, 'x-svc-page': '' }],
  ])('CSRF: a request of %s is refused', async (_, headers) => {
    expect((await owner.send(core('list_groups'), {}, headers)).status).toBe(403)
  })

  it.each([
    ['another origin', { origin: 'https://evil.example' }, [403, 403]],
    ['a sandboxed frame', { origin: 'null' }, [403, 403]],
    ['a browser that sends neither header', {}, [200, 403]],
  ])(
    'stolen token: %s, without Sec-Fetch-Site, changes nothing',
    async (_, headers, [get, post]) => {
      expect((await owner.send(core('list_groups'), {}, headers)).status).toBe(get)
      expect((await owner.send('/console/accounts', {}, headers)).status).toBe(get)
      expect((await owner.post(core('create_wallet'), {}, headers)).status).toBe(post)
    },
  )

  it('no sign-in: gets 401, and a token of an API client does not help', async () => {
    expect((await edge(core('list_groups'), { headers: FROM_US })).status).toBe(401)
  })

  it('long query: the stored key counts toward the size of the head', async () => {
    const own = JSON.stringify([
      '/core/v1/list_groups',
      '?',
      [['origin', 'https://edge.test']],
    ]).length
    // The rest of the head may take 512 bytes, and the stored key takes more than 300 of them.
    const most = SEALED_HEAD_MAX_BYTES - 512 - own
    const statusOf = async (length: number) =>
      (await owner.send(core(`list_groups?${'a'.repeat(length)}`))).status
    expect(await statusOf(most)).toBe(413)
    expect(await statusOf(most - 400)).toBe(200)
  })

  it.each(['..%2f..%2fsealed', '%2e%2e/x', 'a//b', '.x', 'get_svc_action_wallet'])(
    'path: %s is not relayed',
    async (path) => {
      expect([403, 404]).toContain((await owner.send(core(path))).status)
    },
  )
})
