import { describe, expect, it } from 'vitest'
import { eq } from 'drizzle-orm'
import { agentTokens } from '../../../edge/db/schema.ts'
import { approveAgentToken } from '../../../edge/identity/agent-tokens.ts'
import { csrfToken } from '../../../edge/identity/csrf.ts'
import { listTokens, TOKENS_LISTED } from '../../../edge/identity/owned-tokens.ts'
import { findOrCreateUser } from '../../../edge/identity/users.ts'
import { decide, newAgent } from './agent.ts'
import { type Browser, openBrowser, signIn, someone } from './browser.ts'
import { db, identityApp } from './harness.ts'

const edge = identityApp()
const DAY_MS = 24 * 3_600_000

async function person() {
  const [email, browser] = [someone(), openBrowser(edge)]
  await signIn(browser, email)
  const user = await findOrCreateUser(edge.services, email)
  return { email, browser, user }
}

/** Creates a token through the form of the page. */
async function approved(browser: Browser) {
  const agent = await newAgent()
  await decide(browser, agent.challenge)
  return agent
}

const me = (token: string) =>
  edge.app.request('/api/me', { headers: { authorization: `Bearer ${token}` } })
const listOf = async (browser: Browser) => (await browser.get('/agent/tokens')).text()

/** Returns the form token for revoking `token`. */
const csrfFor = (page: string, token: string) =>
  new RegExp(`value="${token}"[^>]*/?><input type="hidden" name="csrf" value="([^"]*)"`).exec(
    page,
  )?.[1] ?? ''

async function revoke(browser: Browser, token: string) {
  const csrf = csrfFor(await listOf(browser), token)
  return browser.post('/agent/tokens/revoke', { token, csrf })
}

const words = (page: string) => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

describe('the list of tokens', () => {
  it('is empty at first, and explains how to start', async () => {
    const { browser } = await person()
    expect(await listOf(browser)).toContain('No access tokens yet.')
  })

  it('shows the name, ID, access, creation, last use, expiry and state of each token', async () => {
    const { browser, user } = await person()
    const agents = [await newAgent(), await newAgent(), await newAgent()]
    for (const [at, label] of ['live bot', 'old bot', null].entries())
      await approveAgentToken(edge.services, {
        challenge: agents[at]!.challenge,
        userId: user.id,
        label,
        scopes: ['triggers:read'],
      })
    await me(agents[0]!.token)
    await db
      .update(agentTokens)
      .set({ expiresAt: edge.clock.ms })
      .where(eq(agentTokens.challenge, agents[1]!.challenge))
    await revoke(browser, agents[2]!.challenge)
    const text = words(await listOf(browser))
    expect(text).toMatch(
      /live bot Active ID \S{16} read only \S+ \w+ \d{4}, \S+ UTC \S+ \w+ \d{4}, \S+ UTC \S+ \w+ \d{4}, \S+ UTC Revoke/,
    )
    expect(text).toContain(`live bot Active ID ${agents[0]!.challenge.slice(0, 16)} read only`)
    expect(text).toMatch(/old bot Expired .*UTC Never .*UTC Unnamed program/)
    expect(text).toMatch(/Unnamed program Revoked/)
  })

  it('injection by label: escapes and isolates a name in the list', async () => {
    const { browser, user } = await person()
    const { challenge } = await newAgent()
    const label = '"><img src=x onerror=alert(1)>'
    await approveAgentToken(edge.services, { challenge, userId: user.id, label })
    const page = await listOf(browser)
    expect(page).not.toContain('<img')
    expect(page).toContain('<bdi>&quot;&gt;&lt;img')
  })

  it('shows valid tokens first, however many were revoked after them', async () => {
    const { user } = await person()
    const rows = Array.from({ length: TOKENS_LISTED + 5 }, (_, at) => ({
      challenge: `${user.id}-${at}`,
      userId: user.id,
      createdAt: edge.clock.ms + at,
      expiresAt: edge.clock.ms + DAY_MS,
      revokedAt: at < 2 ? null : edge.clock.ms,
    }))
    for (let at = 0; at < rows.length; at += 10)
      await db.insert(agentTokens).values(rows.slice(at, at + 10))
    const listed = await listTokens(edge.services, user.id)
    expect(listed).toHaveLength(TOKENS_LISTED)
    expect(listed.slice(0, 3).map(({ state }) => state)).toEqual(['live', 'live', 'revoked'])
  })

  it('agent approves agents: a bearer token cannot list or revoke tokens', async () => {
    const { browser } = await person()
    const { token, challenge } = await approved(browser)
    const headers = { authorization: `Bearer ${token}` }
    const stranger = openBrowser(edge)
    expect((await stranger.get('/agent/tokens', headers)).status).toBe(303)
    const from = { origin: 'https://edge.test', 'sec-fetch-site': 'same-origin' }
    const form = { token: challenge, csrf: 'x' }
    const answer = await stranger.post('/agent/tokens/revoke', form, { ...headers, ...from })
    expect(answer.status).toBe(303)
    expect((await me(token)).status).toBe(200)
  })

  it('requires a sign-in, and HEAD and GET revoke nothing', async () => {
    const { browser } = await person()
    const { token } = await approved(browser)
    const answer = await openBrowser(edge).get('/agent/tokens')
    expect(answer.headers.get('location')).toBe('/sign-in?next=%2Fagent%2Ftokens')
    const headers = { cookie: browser.jar.cookie }
    for (const method of ['GET', 'HEAD'])
      for (const path of ['/agent/tokens', '/agent/tokens/revoke?token=all'])
        await edge.app.request(path, { method, headers })
    expect((await me(token)).status).toBe(200)
  })
})

describe('revoking a token', () => {
  it('takes effect on its next request, without affecting other tokens', async () => {
    const { browser } = await person()
    const [gone, stays] = [await approved(browser), await approved(browser)]
    const answer = await revoke(browser, gone.challenge)
    expect(answer.status).toBe(200)
    expect(words(await answer.text())).toMatch(
      /Triggers that it created keep firing, .* queued runs still run/,
    )
    expect((await me(gone.token)).status).toBe(401)
    expect((await me(stays.token)).status).toBe(200)
  })

  it('is idempotent and keeps the first time', async () => {
    const { browser } = await person()
    const { challenge } = await approved(browser)
    const csrf = csrfFor(await listOf(browser), challenge)
    const rowOf = () =>
      db.select().from(agentTokens).where(eq(agentTokens.challenge, challenge)).get()
    await browser.post('/agent/tokens/revoke', { token: challenge, csrf })
    const before = await rowOf()
    edge.clock.ms += 1_000
    const again = await browser.post('/agent/tokens/revoke', { token: challenge, csrf })
    expect([again.status, await rowOf()]).toEqual([200, before])
  })

  it('with all revokes only the tokens of this account', async () => {
    const [one, other] = [await person(), await person()]
    const mine = [await approved(one.browser), await approved(one.browser)]
    const theirs = await approved(other.browser)
    expect((await revoke(one.browser, 'all')).status).toBe(200)
    for (const { token } of mine) expect((await me(token)).status).toBe(401)
    expect((await me(theirs.token)).status).toBe(200)
  })

  it('foreign token: returns 404 as for an unknown one, and it stays valid', async () => {
    const [one, other] = [await person(), await person()]
    const { token, challenge } = await approved(one.browser)
    const mine = await approved(other.browser)
    const unknown = await newAgent()
    // A signed-in user can compute form tokens for any action of the session, so they do not prove ownership.
    const secret = other.browser.jar.cookie.split('=')[1]!
    const answers = []
    for (const wanted of [challenge, unknown.challenge, 'x', '']) {
      const csrf = await csrfToken(secret, `agent-tokens/revoke/${wanted}`)
      const answer = await other.browser.post('/agent/tokens/revoke', { token: wanted, csrf })
      answers.push(`${answer.status} ${words(await answer.text())}`)
    }
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]).toMatch(/^404 /)
    expect((await me(token)).status).toBe(200)
    expect((await me(mine.token)).status).toBe(200)
  })

  it('CSRF on revoke: rejects forms of another site, session or token', async () => {
    const [victim, attacker] = [await person(), await person()]
    const { token, challenge } = await approved(victim.browser)
    const trusted = await approved(victim.browser)
    await approved(attacker.browser)
    const page = await listOf(victim.browser)
    const csrf = csrfFor(page, challenge)
    expect(csrf).not.toBe('')
    const evil = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
    const post = (form: Record<string, string>, headers?: Record<string, string>) =>
      victim.browser.post('/agent/tokens/revoke', form, headers)
    const answers = [
      await post({ token: challenge, csrf }, evil),
      await post({ token: challenge, csrf }, {}),
      await post({ token: challenge, csrf: csrfFor(page, trusted.challenge) }),
      await post({ token: 'all', csrf }),
      await post({ token: 'all', csrf: csrfFor(await listOf(attacker.browser), 'all') }),
      await post({ token: challenge }),
    ]
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(403))
    expect((await me(token)).status).toBe(200)
  })

  it('resurrection: approving a revoked token again does not make it valid', async () => {
    const { browser } = await person()
    const { token, challenge } = await approved(browser)
    await revoke(browser, challenge)
    expect((await decide(browser, challenge)).status).toBe(410)
    expect((await me(token)).status).toBe(401)
  })
})
