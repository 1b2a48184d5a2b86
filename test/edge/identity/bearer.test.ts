import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { agentTokens } from '../../../edge/db/schema.ts'
import { approveAgentToken } from '../../../edge/identity/agent-tokens.ts'
import { findOrCreateUser } from '../../../edge/identity/users.ts'
import { challengeOf, newAgent } from './agent.ts'
import { openBrowser, signIn, someone } from './browser.ts'
import { db, identityApp, PUBLIC_URL } from './harness.ts'

const edge = identityApp()
const DAY_MS = 24 * 3_600_000

async function me(authorization?: string): Promise<Response> {
  return edge.app.request('/api/me', {
    headers: authorization === undefined ? {} : { authorization },
  })
}

async function approvedAgent() {
  const agent = await newAgent()
  const user = await findOrCreateUser(edge.services, someone())
  await approveAgentToken(edge.services, { challenge: agent.challenge, userId: user.id })
  const row = () =>
    db.select().from(agentTokens).where(eq(agentTokens.challenge, agent.challenge)).get()
  return { ...agent, user, row }
}

async function expectUnauthorized(response: Response): Promise<{ message: string; fix: string }> {
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
  const body: { error: string; message: string; fix: string } = await response.json()
  expect(body.error).toBe('unauthorized')
  expect(body.fix).toContain('generate a new token')
  expect(body.fix).toContain(`${PUBLIC_URL}/agent/authorize?challenge=`)
  return body
}

describe('GET /api/me', () => {
  it('returns the user’s ID and e-mail address, and the expiry, name and scopes of the token', async () => {
    const { token, user } = await approvedAgent()
    const response = await me(`Bearer ${token}`)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      ...user,
      token_expires_at: new Date(edge.clock.ms + 90 * DAY_MS).toISOString(),
      label: null,
      scopes: ['triggers:read', 'triggers:write'],
    })
  })

  it('accepts the scheme in any case (RFC 9110 11.1)', async () => {
    const { token } = await approvedAgent()
    expect((await me(`bearer ${token}`)).status).toBe(200)
  })

  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    `Basic ${'a'.repeat(64)}`,
    `Bearer ${'a'.repeat(42)}`,
    `Bearer ${'a'.repeat(42)}!`,
    `Bearer ${'a'.repeat(64)} ${'a'.repeat(64)}`,
    `Bearer ${'a'.repeat(64)}, Bearer ${'b'.repeat(64)}`,
  ])('returns 401 for the header %j', async (authorization) => {
    await expectUnauthorized(await me(authorization))
  })

  it('returns 401 to every poll for a token that is not approved yet', async () => {
    const { token } = await newAgent()
    for (let poll = 0; poll < 20; poll++) await expectUnauthorized(await me(`Bearer ${token}`))
  })

  it('token oracle: returns the same response for unknown, revoked and expired tokens', async () => {
    const [revoked, expired, unknown] = [
      await approvedAgent(),
      await approvedAgent(),
      await newAgent(),
    ]
    await db
      .update(agentTokens)
      .set({ revokedAt: 1 })
      .where(eq(agentTokens.challenge, revoked.challenge))
    await db
      .update(agentTokens)
      .set({ expiresAt: 1 })
      .where(eq(agentTokens.challenge, expired.challenge))
    const bodies = [revoked, expired, unknown].map(async ({ token }) =>
      expectUnauthorized(await me(`Bearer ${token}`)),
    )
    expect(new Set((await Promise.all(bodies)).map((body) => JSON.stringify(body))).size).toBe(1)
  })

  it('token leak: never echoes the token', async () => {
    const { token } = await newAgent()
    expect(await (await me(`Bearer ${token}`)).text()).not.toContain(token)
  })

  it('printed link: does not accept the challenge in place of the token', async () => {
    const { challenge } = await approvedAgent()
    await expectUnauthorized(await me(`Bearer ${challenge}`))
  })

  it('does not accept a session cookie, alone or as a bearer token', async () => {
    const browser = openBrowser(edge)
    await signIn(browser, someone())
    await expectUnauthorized(await browser.get('/api/me'))
    await expectUnauthorized(await me(`Bearer ${browser.jar.cookie.split('=')[1]}`))
  })

  it('rejects a short token although its challenge was approved', async () => {
    const token = 'hunter2'
    const user = await findOrCreateUser(edge.services, someone())
    await approveAgentToken(edge.services, { challenge: await challengeOf(token), userId: user.id })
    await expectUnauthorized(await me(`Bearer ${token}`))
  })
})

describe('the lifetime of a token', () => {
  it('ends at the first request after it is revoked', async () => {
    const { token, challenge } = await approvedAgent()
    expect((await me(`Bearer ${token}`)).status).toBe(200)
    await db.update(agentTokens).set({ revokedAt: 1 }).where(eq(agentTokens.challenge, challenge))
    await expectUnauthorized(await me(`Bearer ${token}`))
  })

  it('ends 90 days after its approval, regardless of use', async () => {
    const { token } = await approvedAgent()
    for (const days of [29, 29, 29]) {
      edge.clock.ms += days * DAY_MS
      expect((await me(`Bearer ${token}`)).status).toBe(200)
    }
    edge.clock.ms += 3 * DAY_MS - 1
    expect((await me(`Bearer ${token}`)).status).toBe(200)
    edge.clock.ms += 1
    await expectUnauthorized(await me(`Bearer ${token}`))
  })

  it('ends after 30 days without use', async () => {
    const { token } = await approvedAgent()
    await me(`Bearer ${token}`)
    edge.clock.ms += 30 * DAY_MS
    await expectUnauthorized(await me(`Bearer ${token}`))
  })

  it('ends after 30 days if it was never used', async () => {
    const { token } = await approvedAgent()
    edge.clock.ms += 30 * DAY_MS
    await expectUnauthorized(await me(`Bearer ${token}`))
  })

  it('updates the time of last use at most once a minute', async () => {
    const { token, row } = await approvedAgent()
    const first = edge.clock.ms
    await me(`Bearer ${token}`)
    edge.clock.ms += 59_999
    await me(`Bearer ${token}`)
    expect((await row())?.lastUsedAt).toBe(first)
    edge.clock.ms += 1
    await me(`Bearer ${token}`)
    expect((await row())?.lastUsedAt).toBe(first + 60_000)
  })
})
