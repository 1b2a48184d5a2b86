import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { oauthGrants } from '../../../edge/db/schema.ts'
import { findOrCreateUser } from '../../../edge/identity/users.ts'
import type { AuthorizationRequest } from '../../../edge/oauth/authorization-request.ts'
import { exchangeCode, findGrantUser, refreshTokens } from '../../../edge/oauth/grant-tokens.ts'
import { approveGrant } from '../../../edge/oauth/grants.ts'
import { db, env, random } from '../app.ts'
import { challengeOf } from '../identity/agent.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const clientId = 'https://client.example.com/client.json'

/** An approved grant, with a clock that the test can set. */
async function approved() {
  const clock = { ms: Date.UTC(2027, 0, 1) }
  const deps = { db, random, now: () => clock.ms }
  const user = await findOrCreateUser(
    { ...deps, settings: env },
    `${crypto.randomUUID()}@example.test`,
  )
  const request: AuthorizationRequest = {
    clientId,
    redirectUri: 'https://client.example.com/callback',
    codeChallenge: await challengeOf('verifier'),
    scopes: ['triggers:read'],
    state: undefined,
    query: '',
  }
  const { scopes } = request
  const code = await approveGrant(deps, { request, clientName: 'Robot', userId: user.id, scopes })
  const exchange = () =>
    exchangeCode(deps, { code, clientId, redirectUri: undefined, codeVerifier: 'verifier' })
  const refresh = (refreshToken: string) =>
    refreshTokens(deps, { refreshToken, clientId, scopes: [] })
  return { clock, deps, user, exchange, refresh }
}

describe('lifetimes', () => {
  it('a code is valid for a minute', async () => {
    const { clock, exchange } = await approved()
    clock.ms += MINUTE_MS
    await expect(exchange()).rejects.toMatchObject({ code: 'invalid_grant' })
    clock.ms -= 1
    await exchange()
  })

  it('an access token is valid for an hour', async () => {
    const { clock, deps, user, exchange } = await approved()
    const { accessToken } = await exchange()
    clock.ms += 60 * MINUTE_MS - 1
    expect((await findGrantUser(deps, accessToken))?.id).toBe(user.id)
    clock.ms += 1
    expect(await findGrantUser(deps, accessToken)).toBeUndefined()
  })

  it('a grant ends after 30 days without a refresh', async () => {
    const { clock, exchange, refresh } = await approved()
    const { refreshToken } = await exchange()
    clock.ms += 30 * DAY_MS
    await expect(refresh(refreshToken)).rejects.toMatchObject({ code: 'invalid_grant' })
  })

  it('a grant ends after 90 days, however often it is refreshed', async () => {
    const { clock, deps, exchange, refresh } = await approved()
    let { refreshToken } = await exchange()
    for (let days = 0; days < 80; days += 20) {
      clock.ms += 20 * DAY_MS
      ;({ refreshToken } = await refresh(refreshToken))
    }
    clock.ms += 10 * DAY_MS - 10 * MINUTE_MS
    const last = await refresh(refreshToken)
    expect(last.expiresInS).toBe(600)
    clock.ms += 10 * MINUTE_MS
    expect(await findGrantUser(deps, last.accessToken)).toBeUndefined()
    await expect(refresh(last.refreshToken)).rejects.toMatchObject({ code: 'invalid_grant' })
  })

  it('ended grants are deleted when another one is approved', async () => {
    const { clock, user } = await approved()
    const rows = () => db.$count(oauthGrants, eq(oauthGrants.userId, user.id))
    expect(await rows()).toBe(1)
    // Approved at the same start of the clock, at which the first code is still valid.
    await approved()
    expect(await rows()).toBe(1)
    clock.ms += MINUTE_MS
    await db.update(oauthGrants).set({ expiresAt: 1 }).where(eq(oauthGrants.userId, user.id))
    await approved()
    expect(await rows()).toBe(0)
  })
})

it('stolen database: no row contains a code or a token', async () => {
  const { user, exchange, refresh } = await approved()
  const first = await exchange()
  const second = await refresh(first.refreshToken)
  const rows = await db.select().from(oauthGrants).where(eq(oauthGrants.userId, user.id))
  const stored = JSON.stringify(rows)
  expect(rows).toHaveLength(1)
  for (const text of [first.accessToken, second.accessToken, second.refreshToken])
    expect(stored).not.toContain(text.slice(-43))
})
