import { eq, sql } from 'drizzle-orm'
import { describe, expect, it, vi } from 'vitest'
import { agentRequests, agentTokens } from '../../../edge/db/schema.ts'
import {
  refuseRequest,
  findAgentRequest,
  REQUESTS_MAX,
} from '../../../edge/identity/agent-requests.ts'
import { approveAgentToken } from '../../../edge/identity/agent-tokens.ts'
import { revokeToken } from '../../../edge/identity/owned-tokens.ts'
import { approveRequest } from '../../../edge/identity/request-approval.ts'
import { findOrCreateUser } from '../../../edge/identity/users.ts'
import { parseCrockfordCode } from '../../../shared/encoding/crockford-code.ts'
import type { AgentRequestResponse } from '../../../shared/wire/agent.ts'
import { csrfOf, decide, newAgent } from './agent.ts'
import { type Browser, openBrowser, signIn, someone } from './browser.ts'
import { db, identityApp, PUBLIC_URL } from './harness.ts'

const edge = identityApp()
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

async function signedIn(email = someone()) {
  const browser = openBrowser(edge)
  await signIn(browser, email)
  return browser
}

const register = async (body: object | string) =>
  edge.app.request('/agent/requests', {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

async function registered(over: object = {}) {
  const agent = await newAgent()
  const response = await register({ challenge: agent.challenge, label: 'a robot', ...over })
  expect(response.status).toBe(201)
  return { ...agent, ...(await response.json<AgentRequestResponse>()) }
}

const rowOf = (challenge: string) =>
  db.select().from(agentRequests).where(eq(agentRequests.challenge, challenge)).get()
const tokenOf = (challenge: string) =>
  db.select().from(agentTokens).where(eq(agentTokens.challenge, challenge)).get()

async function me(token: string) {
  const response = await edge.app.request('/api/me', {
    headers: { authorization: `Bearer ${token}` },
  })
  return { status: response.status, body: await response.json<Record<string, unknown>>() }
}

/** Returns a well-formed code that does not match the request. */
const another = (code: string) => (code[0] === '7' ? '8' : '7') + code.slice(1)

/** Returns the text of a page without markup. */
const words = async (response: Response) =>
  (await response.text())
    .replace(/<style>[^]*<\/style>/, '')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/\s+/g, ' ')

async function type(browser: Browser, challenge: string, user_code: string, over: object = {}) {
  const csrf = await csrfOf(browser, challenge)
  const form = { challenge, csrf, decision: 'authorize', user_code, ...over }
  return browser.post('/agent/authorize', form)
}

describe('registering a request', () => {
  it('returns a code, the authorization link, and an expiry in ten minutes', async () => {
    const { challenge, path } = await newAgent()
    const response = await register({ challenge, label: '  a robot ' })
    expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(await response.json()).toEqual({
      request_id: expect.stringMatching(/^[\w-]{22}$/),
      user_code: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/),
      authorize_url: PUBLIC_URL + path,
      expires_at: new Date(edge.clock.ms + 10 * MINUTE_MS).toISOString(),
    })
    expect(await rowOf(challenge)).toMatchObject({ label: 'a robot', attemptsLeft: 5 })
  })

  const aChallenge = 'A'.repeat(43)
  it.each([
    ['{', 400, 'not JSON'],
    [{ label: 'x' }, 422, 'challenge'],
    [{ challenge: 'A'.repeat(42), label: 'x' }, 422, 'challenge: '],
    [{ challenge: `${'A'.repeat(42)}B`, label: 'x' }, 422, 'challenge: '],
    [{ challenge: aChallenge }, 422, 'label'],
    [{ challenge: aChallenge, label: 'x', scopes: [] }, 422, 'scopes'],
    [{ challenge: aChallenge, label: 'x', scopes: ['admin'] }, 422, 'scopes'],
    [{ challenge: aChallenge, label: 'x', scopes: 'triggers:read' }, 422, 'scopes'],
    [{ challenge: aChallenge, label: 'x', user_code: '0000-0000' }, 422, 'user_code'],
    [{ challenge: aChallenge, label: 'x'.repeat(5_000) }, 413, 'large'],
  ])('rejects %j with %i and the reason', async (body, status, said) => {
    const response = await register(body)
    expect(response.status).toBe(status)
    expect(JSON.stringify(await response.json())).toContain(said)
  })

  it.each([
    ['control characters', 'a\u0007b'],
    ['a line break', 'a\nb'],
    ['bidi override', 'a\u202Egpj.exe'],
    ['bidi isolate', '\u2066a'],
    ['zero width', 'a\u200Bb'],
    ['a name that shows nothing', '\u3164'],
    ['a selector of emoji that selects nothing', '\uFE0F'],
    ['a blank that is a symbol', '\u2800'],
    ['marks that cover the lines around it', `a${'\u0335'.repeat(5)}`],
    ['only blanks', '   '],
    ['nothing', ''],
    ['a lone surrogate', 'a\uD800'],
    ['private use', '\uE000'],
    ['65 characters', 'x'.repeat(65)],
    ['65 astral characters', '🦊'.repeat(65)],
  ])('injection by label: rejects %s', async (_, label) => {
    const agent = await newAgent()
    const response = await register({ challenge: agent.challenge, label })
    expect(response.status).toBe(422)
    expect((await response.json<{ message: string }>()).message).toMatch(/^label: /)
    expect(await rowOf(agent.challenge)).toBeUndefined()
  })

  it.each([
    'x'.repeat(64),
    '🦊'.repeat(64),
    'Größe 東京 ✈️',
    'Việt'.normalize('NFD'),
    '<script>alert(1)</script>',
    '" onx="',
  ])('injection by label: shows %j as text', async (label) => {
    const agent = await registered({ label })
    const page = await (await (await signedIn()).get(agent.path)).text()
    const escaped = label.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
    expect(page).toContain(`<bdi>${escaped}</bdi>`)
  })

  it('bound challenge: returns 409 for an approved or registered challenge, without revealing which', async () => {
    const [bound, known] = [await newAgent(), await registered()]
    await decide(await signedIn(), bound.challenge)
    const answers = [bound, known].map(async ({ challenge }) => {
      const response = await register({ challenge, label: 'a thief' })
      return { status: response.status, body: await response.text() }
    })
    const [one, other] = await Promise.all(answers)
    expect(one).toEqual(other)
    expect([one!.status, JSON.parse(one!.body).error]).toEqual([409, 'challenge_taken'])
    expect(await rowOf(known.challenge)).toMatchObject({ label: 'a robot' })
  })

  it('race: gives the code to only one of many simultaneous registrations', async () => {
    const { challenge } = await newAgent()
    const all = Array.from({ length: 5 }, () => register({ challenge, label: 'x' }))
    const statuses = (await Promise.all(all)).map(({ status }) => status)
    expect(statuses.toSorted((one, other) => one - other)).toEqual([201, 409, 409, 409, 409])
  })

  it('is deleted a day after it expired', async () => {
    // Test files share the database, and a registration deletes only the oldest rows.
    await db.delete(agentRequests)
    const old = await registered()
    edge.clock.ms += 10 * MINUTE_MS + DAY_MS - 1
    await registered()
    expect(await rowOf(old.challenge)).toBeDefined()
    edge.clock.ms += 1
    await registered()
    expect(await rowOf(old.challenge)).toBeUndefined()
  })

  it('stolen database: contains neither the code nor a plain hash of it', async () => {
    const { challenge, user_code, request_id } = await registered()
    const row = await rowOf(challenge)
    expect(JSON.stringify(row)).not.toContain(user_code)
    const digest = await crypto.subtle.digest(
      'SHA-256',
      new TextEncoder().encode(request_id + user_code),
    )
    expect(row!.userCodeHash).not.toBe(btoa(String.fromCharCode(...new Uint8Array(digest))))
    // The same code has a different hash in another request.
    const other = await registered()
    expect((await rowOf(other.challenge))!.userCodeHash).not.toBe(row!.userCodeHash)
  })
})

describe('request flood from many addresses', () => {
  it('accepts no requests above the limit, keeps past refusals, and leaves the plain flow available', async () => {
    const refused = await registered()
    await refuseRequest(edge.services, refused.request_id)
    const oldest = await db.get<{ id: number }>(sql`select min(rowid) as id from agent_requests`)
    const newest = sql`update agent_requests set rowid = ${oldest.id + REQUESTS_MAX - 1}`
    await db.run(sql`${newest} where challenge = ${refused.challenge}`)
    try {
      const { challenge, path } = await newAgent()
      const response = await register({ challenge, label: 'one more' })
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('600')
      expect(await rowOf(challenge)).toBeUndefined()
      expect((await me(refused.token)).body.reason).toBe('request_refused')
      const browser = await signedIn()
      expect((await browser.get(path)).status).toBe(200)
      expect(await words(await decide(browser, challenge))).toContain('Authorized')
    } finally {
      await db.delete(agentRequests).where(eq(agentRequests.challenge, refused.challenge))
    }
    expect((await register({ challenge: (await newAgent()).challenge, label: 'x' })).status).toBe(
      201,
    )
  })
})

describe('approving a registered request', () => {
  it('requires the code, shows the name and scopes, and grants what was requested', async () => {
    const agent = await registered({ label: 'release bot', scopes: ['triggers:read'] })
    const browser = await signedIn()
    const page = await browser.get(agent.path)
    const text = await words(page)
    expect(text).toContain('It calls itself release bot. Any program can use any name.')
    expect(text).toContain('read their run history')
    expect(text).not.toContain('create, change')
    expect(text).not.toContain(agent.user_code)
    expect((await type(browser, agent.challenge, agent.user_code)).status).toBe(200)
    expect((await me(agent.token)).body).toMatchObject({
      label: 'release bot',
      scopes: ['triggers:read'],
    })
  })

  it('accepts the code in any case, without a hyphen, with spaces, and with O, I and L for 0 and 1', async () => {
    expect(parseCrockfordCode('k7o1-Lip0')).toBe('K701-11P0')
    for (const typed of ['K701-11P0', ' k70111p0', 'K701 11P0', 'k7 01–11 p0', 'K7OI-LlPo'])
      expect([typed, parseCrockfordCode(typed)]).toEqual([typed, 'K701-11P0'])
    for (const typed of ['', 'K701-11P', 'K701-11P00', 'K701-11PU', 'K701_11P0', '🦊K70111P0'])
      expect([typed, parseCrockfordCode(typed)]).toEqual([typed, undefined])
    const { challenge, user_code } = await registered()
    const sloppy = ` ${user_code.toLowerCase().replace('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')}`
    expect((await type(await signedIn(), challenge, sloppy)).status).toBe(200)
    expect(await tokenOf(challenge)).toBeDefined()
  })

  it('code guessing: locks after five wrong codes, shows the attempts left, and then rejects the right code', async () => {
    const { token, challenge, user_code, path } = await registered()
    const browser = await signedIn()
    const said = []
    for (let guess = 0; guess < 5; guess++) {
      const answer = await type(browser, challenge, another(user_code))
      said.push([answer.status, /(\w+) attempts? left/.exec(await words(answer))?.[1]])
      // The page after the last attempt has no form.
      if (guess === 3) edge.clock.ms += 1
    }
    expect(said).toEqual([
      [400, '4'],
      [400, '3'],
      [400, '2'],
      [400, '1'],
      [410, undefined],
    ])
    const locked = await browser.get(path)
    expect([locked.status, await words(locked)]).toEqual([
      410,
      expect.stringContaining('This request is locked'),
    ])
    expect(await tokenOf(challenge)).toBeUndefined()
    expect(await me(token)).toMatchObject({ status: 401, body: { reason: 'request_locked' } })
  })

  it('code guessing: counts simultaneous guesses one by one', async () => {
    const { challenge, user_code } = await registered()
    const request = (await findAgentRequest(edge.services, challenge))!
    const { id: userId } = await findOrCreateUser(edge.services, someone())
    const guess = (code: string) => approveRequest(edge.services, request, { code, userId })
    const wrong = Array.from({ length: 20 }, () => guess(another(user_code)))
    const outcomes = await Promise.all(wrong)
    const left = outcomes.flatMap((one) => (typeof one === 'object' ? [one.attemptsLeft] : []))
    expect(left.toSorted((one, other) => one - other)).toEqual([1, 2, 3, 4])
    expect(outcomes.filter((one) => one === 'request_locked')).toHaveLength(16)
    // The code is compared with a row that was read earlier, so the binding statement checks again.
    expect(await guess(user_code)).toBe('request_locked')
    expect(await tokenOf(challenge)).toBeUndefined()
  })

  it('does not count malformed codes as attempts', async () => {
    const { challenge } = await registered()
    const browser = await signedIn()
    for (const typed of ['', 'K70', 'not a code at all']) {
      const answer = await type(browser, challenge, typed)
      expect([answer.status, await words(answer)]).toEqual([400, expect.stringContaining('eight')])
    }
    expect(await rowOf(challenge)).toMatchObject({ attemptsLeft: 5, outcome: null })
  })

  it('approval without the code: a stranger who saw the link cannot bind a token with any form', async () => {
    const { challenge } = await registered()
    const stranger = await signedIn()
    await decide(stranger, challenge)
    const csrf = await csrfOf(stranger, challenge)
    for (const form of [{ name: 'x', access: 'all' }, { user_code: '' }, { label: 'x' }])
      await stranger.post('/agent/authorize', { challenge, csrf, decision: 'authorize', ...form })
    const { id: userId } = await findOrCreateUser(edge.services, someone())
    expect(await approveAgentToken(edge.services, { challenge, userId })).toBe('registered')
    expect(await tokenOf(challenge)).toBeUndefined()
  })

  it('scope escalation: the form cannot request more than the agent did, or rename it', async () => {
    const { challenge, user_code } = await registered({ scopes: ['triggers:read'] })
    const more = { access: 'all', scopes: 'triggers:write', name: 'trusted', label: 'trusted' }
    await type(await signedIn(), challenge, user_code, more)
    expect(await tokenOf(challenge)).toMatchObject({ scopes: 'triggers:read', label: 'a robot' })
  })

  it('hijacked challenge: an open page does not approve a request that a stranger registered, and explains what to do', async () => {
    const [browser, agent] = [await signedIn(), await newAgent()]
    const csrf = await csrfOf(browser, agent.challenge)
    await register({ challenge: agent.challenge, label: 'your program' })
    const form = { challenge: agent.challenge, csrf, decision: 'authorize' }
    const answer = await browser.post('/agent/authorize', form)
    expect(answer.status).toBe(400)
    expect(await words(answer)).toMatch(
      /showed no code, refuse: .* have your program generate a new token/,
    )
    expect(await tokenOf(agent.challenge)).toBeUndefined()
  })

  it('approval by another account: returns 409 even with the right code', async () => {
    const { challenge, user_code, path } = await registered()
    const [first, second] = [await signedIn(), await signedIn()]
    const csrf = await csrfOf(second, challenge)
    await type(first, challenge, user_code)
    const form = { challenge, csrf, decision: 'authorize', user_code }
    expect((await second.post('/agent/authorize', form)).status).toBe(409)
    expect((await second.get(path)).status).toBe(409)
    const again = await first.get(path)
    expect([again.status, await words(again)]).toEqual([
      200,
      expect.stringContaining('Already authorized'),
    ])
  })

  it('expired request: is valid until the last millisecond of ten minutes, and then returns 410', async () => {
    const [one, other] = [await registered(), await registered()]
    const browser = await signedIn()
    const csrf = await csrfOf(browser, other.challenge)
    edge.clock.ms += 10 * MINUTE_MS - 1
    expect((await type(browser, one.challenge, one.user_code)).status).toBe(200)
    edge.clock.ms += 1
    const { challenge, user_code } = other
    const late = { challenge, csrf, decision: 'authorize', user_code }
    for (const answer of [
      await browser.get(other.path),
      await browser.post('/agent/authorize', late),
    ]) {
      expect(answer.status).toBe(410)
      expect(await words(answer)).toContain('has expired')
    }
    expect(await tokenOf(challenge)).toBeUndefined()
    expect((await me(other.token)).body).toMatchObject({ reason: 'request_expired' })
  })

  it('resurrection: a refused request or revoked token never becomes valid again', async () => {
    const [refused, revoked] = [await registered(), await registered()]
    const browser = await signedIn()
    const csrf = await csrfOf(browser, refused.challenge)
    expect(await words(await decide(browser, refused.challenge, 'refuse'))).toContain('Refused')
    const right = { challenge: refused.challenge, csrf, user_code: refused.user_code }
    const answer = await browser.post('/agent/authorize', { ...right, decision: 'authorize' })
    expect(answer.status).toBe(410)
    expect(await tokenOf(refused.challenge)).toBeUndefined()
    expect((await register({ challenge: refused.challenge, label: 'x' })).status).toBe(409)

    await type(browser, revoked.challenge, revoked.user_code)
    const { userId } = (await tokenOf(revoked.challenge))!
    await revokeToken(edge.services, { challenge: revoked.challenge, userId })
    expect((await browser.get(revoked.path)).status).toBe(410)
    expect((await me(revoked.token)).status).toBe(401)
  })

  it('ignores a refusal after the approval', async () => {
    const { token, challenge, user_code } = await registered()
    const browser = await signedIn()
    const csrf = await csrfOf(browser, challenge)
    await type(browser, challenge, user_code)
    const answer = await browser.post('/agent/authorize', { challenge, csrf, decision: 'refuse' })
    expect(await words(answer)).toContain('Already authorized')
    expect((await me(token)).status).toBe(200)
  })

  it('link preview: GET and HEAD use no attempt and change nothing', async () => {
    const { challenge, path } = await registered()
    const browser = await signedIn()
    const before = await rowOf(challenge)
    for (const method of ['GET', 'HEAD'])
      await edge.app.request(path, { method, headers: { cookie: browser.jar.cookie } })
    expect(await rowOf(challenge)).toEqual(before)
  })

  it.each(['refuse', 'authorize'])(
    'CSRF on %s: rejects forms of another site, session or challenge',
    async (decision) => {
      const { challenge, user_code } = await registered()
      const [victim, attacker, trusted] = [await signedIn(), await signedIn(), await registered()]
      const form = { challenge, decision, user_code }
      const csrf = await csrfOf(victim, challenge)
      const evil = { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }
      const answers = [
        await victim.post('/agent/authorize', { ...form, csrf }, evil),
        await victim.post('/agent/authorize', {
          ...form,
          csrf: await csrfOf(attacker, challenge),
        }),
        await victim.post('/agent/authorize', {
          ...form,
          csrf: await csrfOf(victim, trusted.challenge),
        }),
      ]
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
      expect(await rowOf(challenge)).toMatchObject({ outcome: null, attemptsLeft: 5 })
    },
  )
})

describe('an agent that polls for its request', () => {
  it('gets a plain 401 while the request is open, and the refusal as soon as it is refused', async () => {
    const { token, challenge } = await registered()
    expect((await me(token)).body).toMatchObject({ error: 'unauthorized' })
    await decide(await signedIn(), challenge, 'refuse')
    const { status, body } = await me(token)
    expect(status).toBe(401)
    expect(body).toMatchObject({
      reason: 'request_refused',
      message: 'The request for this token was refused.',
      fix: expect.stringContaining('generate a new token'),
    })
  })

  it('token guessing: the challenge, code or ID reveals nothing about the outcome', async () => {
    const { challenge, request_id, user_code } = await registered()
    await decide(await signedIn(), challenge, 'refuse')
    for (const guess of [challenge, request_id.repeat(2), user_code.repeat(5)])
      expect([guess, (await me(guess)).body.error]).toEqual([guess, 'unauthorized'])
  })
})

it('notifies the owner by e-mail of an approved request', async () => {
  const [email, { challenge, user_code }] = [someone(), await registered({ label: 'night bot' })]
  await edge.afterwards()
  const send = vi.spyOn(edge.services.mailer, 'send')
  await type(await signedIn(email), challenge, user_code)
  await edge.afterwards()
  expect(send).toHaveBeenLastCalledWith(
    expect.objectContaining({ recipient: email, text: expect.stringContaining('night bot') }),
  )
})
