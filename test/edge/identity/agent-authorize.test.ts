import { eq } from 'drizzle-orm'
import { describe, expect, it, vi } from 'vitest'
import { agentTokens, users } from '../../../edge/db/schema.ts'
import { RateLimitExceededError } from '../../../edge/limits/require-rate.ts'
import { comparisonCode } from '../../../shared/encoding/crockford-code.ts'
import { csrfOf, decide, newAgent } from './agent.ts'
import { openBrowser, signIn, someone } from './browser.ts'
import { db, identityApp, PUBLIC_URL } from './harness.ts'

const edge = identityApp()
const DAY_MS = 24 * 3_600_000
const rowsOf = (challenge: string) =>
  db.select().from(agentTokens).where(eq(agentTokens.challenge, challenge))
const me = (token: string) =>
  edge.app.request('/api/me', { headers: { authorization: `Bearer ${token}` } })

async function signedIn(email = someone()) {
  const browser = openBrowser(edge)
  await signIn(browser, email)
  return browser
}

describe('authorizing an agent', () => {
  it('works end to end: sign in, return, authorize, and the token is valid', async () => {
    const [browser, agent, email] = [openBrowser(edge), await newAgent(), someone()]
    const sentToSignIn = await browser.get(agent.path)
    expect(sentToSignIn.status).toBe(303)
    const location = new URL(sentToSignIn.headers.get('location')!, PUBLIC_URL)
    expect(location.pathname + location.searchParams.get('next')).toBe(`/sign-in${agent.path}`)
    await signIn(browser, email)
    expect((await me(agent.token)).status).toBe(401)
    const approved = await decide(browser, agent.challenge)
    expect(approved.status).toBe(200)
    const answer = await me(agent.token)
    expect(await answer.json()).toMatchObject({ email })
  })

  it.each([
    '',
    'A'.repeat(42),
    'A'.repeat(44),
    `${'A'.repeat(42)}B`,
    `${'A'.repeat(42)}=`,
    `${'A'.repeat(42)}+`,
    `${'A'.repeat(42)} `,
    `${'A'.repeat(42)}é`,
    `${'A'.repeat(30)}"><script>x`,
  ])('returns a 400 page for the challenge %j without echoing it', async (challenge) => {
    const browser = await signedIn()
    const path = `/agent/authorize?challenge=${encodeURIComponent(challenge)}`
    const form = { challenge, csrf: 'x', decision: 'authorize' }
    for (const response of [
      await browser.get(path),
      await browser.post('/agent/authorize', form),
    ]) {
      expect(response.status).toBe(400)
      expect(await response.text()).not.toContain('AAAA')
    }
    expect(await rowsOf(challenge)).toEqual([])
  })

  it('link preview: opening the page grants nothing', async () => {
    const [browser, agent] = [await signedIn(), await newAgent()]
    expect((await browser.get(agent.path)).status).toBe(200)
    expect(await rowsOf(agent.challenge)).toEqual([])
  })

  it('grants nothing if the user refuses', async () => {
    const [browser, agent] = [await signedIn(), await newAgent()]
    const response = await decide(browser, agent.challenge, 'refuse')
    expect(await response.text()).toContain('Nothing was granted')
    expect(await rowsOf(agent.challenge)).toEqual([])
  })

  it('grants nothing for a form without a decision', async () => {
    const [browser, agent] = [await signedIn(), await newAgent()]
    expect((await decide(browser, agent.challenge, '')).status).toBe(400)
    expect(await rowsOf(agent.challenge)).toEqual([])
  })

  it('changes nothing when approved again, not even the expiry', async () => {
    const [browser, agent] = [await signedIn(), await newAgent()]
    await decide(browser, agent.challenge)
    const before = await rowsOf(agent.challenge)
    edge.clock.ms += DAY_MS
    expect((await decide(browser, agent.challenge)).status).toBe(200)
    expect(await rowsOf(agent.challenge)).toEqual(before)
  })

  it('does not renew an expired token when approved again, and returns 410', async () => {
    const [email, agent] = [someone(), await newAgent()]
    await decide(await signedIn(email), agent.challenge)
    edge.clock.ms += 30 * DAY_MS
    const response = await decide(await signedIn(email), agent.challenge)
    expect(response.status).toBe(410)
    expect((await me(agent.token)).status).toBe(401)
  })

  it('redirects to sign-in if the session has expired', async () => {
    const [browser, agent] = [await signedIn(), await newAgent()]
    const csrf = await csrfOf(browser, agent.challenge)
    edge.clock.ms += 7 * DAY_MS
    const form = { challenge: agent.challenge, csrf, decision: 'authorize' }
    const response = await browser.post('/agent/authorize', form)
    expect(response.headers.get('location')).toMatch(/^\/sign-in\?next=/)
    expect(await rowsOf(agent.challenge)).toEqual([])
  })
})

describe('consent phishing: the page shows what a victim needs to know to refuse', () => {
  it('shows the account, the access, its duration and a warning', async () => {
    const email = someone()
    const browser = await signedIn(email)
    const page = await (await browser.get((await newAgent()).path)).text()
    const text = page.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ')
    expect(text).toContain(`requests access to act as ${email}`)
    expect(text).toContain('view, create, change and delete them')
    expect(text).toContain('run history')
    expect(text).toContain(
      'Access lasts 90 days, and ends earlier if the token is unused for 30 days.',
    )
    expect(text).toContain('Only continue if you just started this yourself.')
    expect(page).not.toContain('autofocus')
  })

  it('shows the comparison code that the agent prints', async () => {
    const browser = await signedIn()
    const challenge = `ESIzRFV${'A'.repeat(36)}`
    const response = await browser.get(`/agent/authorize?challenge=${challenge}`)
    expect(await response.text()).toContain('<p class="code">24H3-6H2N</p>')
  })

  it('derives the code from the first 40 bits in Crockford’s base32', () => {
    expect(comparisonCode(new Uint8Array(32))).toBe('0000-0000')
    expect(comparisonCode(new Uint8Array(32).fill(255))).toBe('ZZZZ-ZZZZ')
    expect(comparisonCode(Uint8Array.of(0, 0, 0, 0, 1, 255))).toBe('0000-0001')
    expect(comparisonCode(Uint8Array.of(0x08, 0x42, 0x10, 0x84, 0x21))).toBe('1111-1111')
  })
})

describe('a session that authorizes many programs', () => {
  it('token flood: is rate limited, and binds no token above the limit', async () => {
    const asked: [string, string][] = []
    const full = identityApp('local', {
      requireRate: async (name, caller) => {
        asked.push([name, caller])
        if (name === 'agent_approval') throw new RateLimitExceededError('too many', 1_000)
      },
    })
    const [browser, { challenge }, email] = [openBrowser(full), await newAgent(), someone()]
    await signIn(browser, email)
    const csrf = await csrfOf(browser, challenge)
    const form = { challenge, csrf, decision: 'authorize' }
    expect((await browser.post('/agent/authorize', form)).status).toBe(429)
    const user = await db.query.users.findFirst({ where: eq(users.email, email) })
    expect(asked.at(-1)).toEqual(['agent_approval', user!.id])
    expect(await rowsOf(challenge)).toEqual([])
    const refused = await browser.post('/agent/authorize', { ...form, decision: 'refuse' })
    expect(refused.status).toBe(200)
  })
})

describe('name and access', () => {
  const choose = async (over: Record<string, string>) => {
    const [browser, agent] = [await signedIn(), await newAgent()]
    const csrf = await csrfOf(browser, agent.challenge)
    const form = { challenge: agent.challenge, csrf, decision: 'authorize', ...over }
    const response = await browser.post('/agent/authorize', form)
    return { agent, response, text: await response.text() }
  }

  it('can be chosen, and are returned by /api/me', async () => {
    const { agent } = await choose({ name: ' night bot ', access: 'read' })
    expect(await (await me(agent.token)).json()).toMatchObject({
      label: 'night bot',
      scopes: ['triggers:read'],
    })
  })

  it.each([{}, { name: '', access: 'all' }])(
    'default to both scopes and no name if omitted (%j)',
    async (over) => {
      const { agent } = await choose(over)
      expect(await (await me(agent.token)).json()).toMatchObject({
        label: null,
        scopes: ['triggers:read', 'triggers:write'],
      })
    },
  )

  it.each(['a\u202Eb', 'a\u0000b', 'x'.repeat(65), '"><script>alert(1)</script>\u0007'])(
    'injection by name: %j grants nothing, and is shown again as escaped text',
    async (name) => {
      const { agent, response, text } = await choose({ name })
      expect(response.status).toBe(400)
      expect(text).toContain('Choose another name')
      expect(text).not.toContain('<script>')
      expect(await rowsOf(agent.challenge)).toEqual([])
    },
  )

  it('scope escalation: the selected access is kept when the form is shown again', async () => {
    for (const [access, other] of [
      ['read', 'all'],
      ['all', 'read'],
    ]) {
      const { text } = await choose({ name: 'x'.repeat(65), access: access! })
      expect(text).toMatch(new RegExp(`value="${access}" checked`))
      expect(text).not.toMatch(new RegExp(`value="${other}" checked`))
    }
  })

  it('scope escalation: an unknown access grants nothing', async () => {
    for (const access of ['admin', 'triggers:write', '__proto__', 'constructor']) {
      const { agent, response } = await choose({ access })
      expect([access, response.status]).toEqual([access, 400])
      expect(await rowsOf(agent.challenge)).toEqual([])
    }
  })
})

it('clickjacking: the page is not framed, nothing is focused, and the button is disabled for a second', async () => {
  const response = await (await signedIn()).get((await newAgent()).path)
  expect(response.headers.get('x-frame-options')).toBe('DENY')
  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  const page = await response.text()
  expect(page).toMatch(/value="authorize" class="armed"/)
  expect(page).toContain('button.armed{animation:arm 1s step-end}')
  expect(page).not.toContain('autofocus')
})

it('notifies the owner by e-mail, once per token', async () => {
  const [email, agent] = [someone(), await newAgent()]
  const browser = await signedIn(email)
  await edge.afterwards()
  const send = vi.spyOn(edge.services.mailer, 'send')
  await decide(browser, agent.challenge)
  await decide(browser, agent.challenge)
  await edge.afterwards()
  expect(send.mock.calls.map(([mail]) => [mail.recipient, mail.subject])).toEqual([
    [email, 'A program was authorized'],
  ])
  send.mockRestore()
})

describe('token fixation: a second account approves the same challenge', () => {
  it('returns 409, and the token stays with the first account', async () => {
    const [first, agent] = [someone(), await newAgent()]
    await decide(await signedIn(first), agent.challenge)
    const response = await decide(await signedIn(), agent.challenge)
    expect(response.status).toBe(409)
    expect(await response.text()).toMatch(/already used by another account[^]*generate a new token/)
    expect(await (await me(agent.token)).json()).toMatchObject({ email: first })
  })

  it('returns 409 even after revocation and expiry, because a challenge is bound permanently', async () => {
    const agent = await newAgent()
    await decide(await signedIn(), agent.challenge)
    await db
      .update(agentTokens)
      .set({ revokedAt: 1 })
      .where(eq(agentTokens.challenge, agent.challenge))
    edge.clock.ms += 91 * DAY_MS
    expect((await decide(await signedIn(), agent.challenge)).status).toBe(409)
  })

  it('race: binds one of two simultaneous approvals, and rejects the other', async () => {
    const agent = await newAgent()
    const browsers = [await signedIn(), await signedIn()]
    const answers = await Promise.all(browsers.map((browser) => decide(browser, agent.challenge)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
    expect(await rowsOf(agent.challenge)).toHaveLength(1)
  })
})

describe('resurrecting a revoked token', () => {
  it('fails if it is approved again', async () => {
    const [browser, agent] = [await signedIn(), await newAgent()]
    await decide(browser, agent.challenge)
    await db
      .update(agentTokens)
      .set({ revokedAt: 1 })
      .where(eq(agentTokens.challenge, agent.challenge))
    const response = await decide(browser, agent.challenge)
    expect(response.status).toBe(410)
    expect(await response.text()).toContain('generate a new token')
    expect((await me(agent.token)).status).toBe(401)
  })
})

describe('CSRF on approval', () => {
  it.each(['', 'x', 'A'.repeat(43), 'not base64url!'])(
    'the token %j grants nothing',
    async (csrf) => {
      const [victim, agent] = [await signedIn(), await newAgent()]
      const form = { challenge: agent.challenge, csrf, decision: 'authorize' }
      expect((await victim.post('/agent/authorize', form)).status).toBe(403)
      expect(await rowsOf(agent.challenge)).toEqual([])
    },
  )

  it('a missing token grants nothing', async () => {
    const [victim, agent] = [await signedIn(), await newAgent()]
    const form = { challenge: agent.challenge, decision: 'authorize' }
    expect((await victim.post('/agent/authorize', form)).status).toBe(403)
    expect(await rowsOf(agent.challenge)).toEqual([])
  })

  it('a token of another session grants nothing', async () => {
    const [attacker, victim, agent] = [await signedIn(), await signedIn(), await newAgent()]
    const csrf = await csrfOf(attacker, agent.challenge)
    const form = { challenge: agent.challenge, csrf, decision: 'authorize' }
    expect((await victim.post('/agent/authorize', form)).status).toBe(403)
    expect(await rowsOf(agent.challenge)).toEqual([])
  })

  it('a token of another session of the same account grants nothing', async () => {
    const [email, agent] = [someone(), await newAgent()]
    const [before, after] = [await signedIn(email), await signedIn(email)]
    const csrf = await csrfOf(before, agent.challenge)
    const form = { challenge: agent.challenge, csrf, decision: 'authorize' }
    expect((await after.post('/agent/authorize', form)).status).toBe(403)
  })

  it('a token of another challenge grants nothing', async () => {
    const [victim, trusted, planted] = [await signedIn(), await newAgent(), await newAgent()]
    const csrf = await csrfOf(victim, trusted.challenge)
    const form = { challenge: planted.challenge, csrf, decision: 'authorize' }
    expect((await victim.post('/agent/authorize', form)).status).toBe(403)
    expect(await rowsOf(planted.challenge)).toEqual([])
  })

  it.each([
    { origin: 'https://evil.test' },
    { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
    { origin: 'null' },
    {},
  ] as Record<string, string>[])(
    'a valid token in a form from elsewhere (%j) grants nothing',
    async (headers) => {
      const [victim, agent] = [await signedIn(), await newAgent()]
      const csrf = await csrfOf(victim, agent.challenge)
      const form = { challenge: agent.challenge, csrf, decision: 'authorize' }
      expect((await victim.post('/agent/authorize', form, headers)).status).toBe(403)
      expect(await rowsOf(agent.challenge)).toEqual([])
    },
  )

  it('a bearer token is not a session, so an agent cannot approve an agent', async () => {
    const [browser, agent, next] = [await signedIn(), await newAgent(), await newAgent()]
    await decide(browser, agent.challenge)
    const headers = { authorization: `Bearer ${agent.token}` }
    expect((await openBrowser(edge).get(next.path, headers)).status).toBe(303)
  })
})
