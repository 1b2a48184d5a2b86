import { desc, eq } from 'drizzle-orm'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { accountShares, linkedAccounts, localMailbox, sessions } from '../../../edge/db/schema.ts'
import { eraseUser } from '../../../edge/operator/erase-user.ts'
import {
  ACCOUNT_SHARES_MAX,
  INVITATION_LIFETIME_MS,
  RECENT_SIGN_IN_MS,
} from '../../../shared/limits.ts'
import { db, env } from '../app.ts'
import { sharedWith, signedIn } from './signed-in.ts'

afterEach(() => vi.restoreAllMocks())

const mailTo = (recipient: string) =>
  vi.waitUntil(
    async () =>
      (await db
        .select()
        .from(localMailbox)
        .where(eq(localMailbox.recipient, recipient))
        .orderBy(desc(localMailbox.id))
        .get()) ?? false,
  )

async function invited(scope = 'view') {
  const [owner, member] = [await signedIn(), await signedIn()]
  const id = await owner.link(undefined, 'Trea.sury')
  const invite = () => owner.post(`/console/accounts/${id}/shares`, { email: member.email, scope })
  const response = await invite()
  return { owner, member, id, invite, status: response.status }
}

describe('sharing an account', () => {
  it('invites by mail, is accepted, and notifies the owner', async () => {
    const { owner, member, id, status } = await invited()
    expect(status).toBe(200)
    const mail = await mailTo(member.email)
    expect(mail.text).toContain(`${owner.email} shares an account with you: Trea. sury`)
    const { accounts, invitations } = await member.list()
    expect(accounts).toEqual([])
    expect(invitations).toMatchObject([
      { name: 'Trea.sury', scope: 'view', shared_by: owner.email },
    ])
    await member.post(`/console/invitations/${invitations[0]!.id}/accept`)
    expect((await member.list()).accounts).toMatchObject([
      { id, role: 'view', shared_by: owner.email },
    ])
    expect((await member.list()).accounts[0]).not.toHaveProperty('shares')
    expect((await owner.list()).accounts[0]!.shares).toMatchObject([
      { email: member.email, scope: 'view', accepted: true },
    ])
    await vi.waitUntil(async () => (await mailTo(owner.email)).text.includes('accepted your'))
  })

  it('can be left, and declined', async () => {
    const owner = await signedIn()
    const id = await owner.link()
    const member = await sharedWith(owner, id, 'run')
    expect((await member.post(`/console/accounts/${id}/leave`)).status).toBe(200)
    expect((await member.list()).accounts).toEqual([])
    const { member: other, owner: inviter } = await invited()
    const [{ id: share }] = (await other.list()).invitations as unknown as [{ id: string }]
    await other.post(`/console/invitations/${share}/decline`)
    expect((await other.list()).invitations).toEqual([])
    expect((await inviter.list()).accounts[0]!.shares).toEqual([])
  })

  it('is refused for oneself, twice, and beyond the limit', async () => {
    const { owner, id, invite } = await invited()
    expect((await invite()).status).toBe(409)
    const own = { email: owner.email, scope: 'view' }
    expect((await owner.post(`/console/accounts/${id}/shares`, own)).status).toBe(422)
    for (const email of ['x', 'a@b', ''])
      expect(
        (await owner.post(`/console/accounts/${id}/shares`, { email, scope: 'view' })).status,
      ).toBe(422)
    const rows = Array.from({ length: ACCOUNT_SHARES_MAX - 1 }, (_, n) => ({
      id: `shar_${id}${n}`,
      accountId: id,
      email: `full${n}@example.test`,
      scope: 'view' as const,
      invitedAt: Date.now(),
    }))
    for (const row of rows) await db.insert(accountShares).values(row)
    const more = { email: 'more@example.test', scope: 'view' }
    const response = await owner.post(`/console/accounts/${id}/shares`, more)
    expect(response.headers.get('content-type')).toContain('json')
    expect([response.status, (await response.json<any>()).reason]).toEqual([409, 'too_many_shares'])
  })

  it('is refused if the account is unlinked at the same time', async () => {
    const owner = await signedIn()
    for (let n = 0; n < 5; n++) {
      const id = await owner.link()
      const body = { email: `${crypto.randomUUID()}@example.test`, scope: 'view' }
      const [shared, unlinked] = await Promise.all(
        [['shares', body] as const, ['unlink', {}] as const].map(([path, sent]) =>
          owner.post(`/console/accounts/${id}/${path}`, sent),
        ),
      )
      expect([200, 404]).toContain(shared!.status)
      expect(unlinked!.status).toBe(200)
      expect(await db.$count(accountShares, eq(accountShares.accountId, id))).toBe(0)
    }
  })

  it('ends when the account is unlinked', async () => {
    const owner = await signedIn()
    const id = await owner.link()
    const member = await sharedWith(owner, id, 'view')
    await owner.post(`/console/accounts/${id}/unlink`)
    expect((await member.list()).accounts).toEqual([])
    expect(await db.$count(accountShares, eq(accountShares.accountId, id))).toBe(0)
  })
})

describe('attacks on sharing', () => {
  it('stolen invitation: only the invited person can accept or decline it', async () => {
    const { member, owner } = await invited('manage')
    const thief = await signedIn()
    const [{ id: share }] = (await member.list()).invitations as unknown as [{ id: string }]
    for (const person of [thief, owner])
      for (const act of ['accept', 'decline'])
        expect((await person.post(`/console/invitations/${share}/${act}`)).status).toBe(404)
    expect((await member.post(`/console/invitations/${share}/accept`)).status).toBe(200)
    expect((await member.post(`/console/invitations/${share}/accept`)).status).toBe(404)
  })

  it('stolen session: one that is not recent cannot give lasting access by a share', async () => {
    const owner = await signedIn()
    const id = await owner.link()
    const createdAt = Date.now() - RECENT_SIGN_IN_MS
    await db.update(sessions).set({ createdAt }).where(eq(sessions.userId, owner.id))
    const thief = { email: `${crypto.randomUUID()}@example.test`, scope: 'manage' }
    const response = await owner.post(`/console/accounts/${id}/shares`, thief)
    expect([response.status, (await response.json<any>()).reason]).toEqual([403, 'sign_in_again'])
    expect((await owner.list()).accounts[0]!.shares).toEqual([])
  })

  it('old invitation: expires, and can be sent again', async () => {
    const { member, invite } = await invited()
    const [{ id: share }] = (await member.list()).invitations as unknown as [{ id: string }]
    const ago = Date.now() - INVITATION_LIFETIME_MS - 1
    await db.update(accountShares).set({ invitedAt: ago }).where(eq(accountShares.id, share))
    expect((await member.post(`/console/invitations/${share}/accept`)).status).toBe(404)
    expect((await member.list()).invitations).toEqual([])
    expect((await invite()).status).toBe(200)
  })

  it('mail flood: invitations have a rate', async () => {
    const owner = await signedIn()
    const id = await owner.link()
    const statuses = []
    for (let n = 0; n < 22; n++) {
      const email = `${crypto.randomUUID()}@example.test`
      statuses.push(
        (await owner.post(`/console/accounts/${id}/shares`, { email, scope: 'view' })).status,
      )
      await db.delete(accountShares).where(eq(accountShares.email, email))
    }
    expect(statuses).toContain(429)
  })

  it('erased user: their keys, shares and invitations are deleted', async () => {
    const owner = await signedIn()
    const id = await owner.link()
    const member = await sharedWith(owner, id, 'view')
    const other = await signedIn()
    const foreign = await other.link()
    await other.post(`/console/accounts/${foreign}/shares`, { email: owner.email, scope: 'view' })
    await eraseUser(env, { db, now: Date.now }, { id: owner.id, email: owner.email })
    expect(await db.$count(linkedAccounts, eq(linkedAccounts.ownerId, owner.id))).toBe(0)
    expect((await member.list()).accounts).toEqual([])
    expect((await other.list()).accounts[0]!.shares).toEqual([])
  })
})
