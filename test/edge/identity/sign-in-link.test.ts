import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { magicLinks, sessions, users } from '../../../edge/db/schema.ts'
import { newAgent } from './agent.ts'
import { createApp } from '../../../edge/app.ts'
import { env } from '../app.ts'
import { field, openBrowser, requestLink, signIn, someone } from './browser.ts'
import { db, identityApp, PUBLIC_URL } from './harness.ts'

const edge = identityApp()
const usersOf = (email: string) => db.select().from(users).where(eq(users.email, email))
const isSignedIn = async (browser: ReturnType<typeof openBrowser>) =>
  (await browser.get((await newAgent()).path)).status === 200

describe('using a sign-in link', () => {
  it('signs the user in and redirects to the requested page', async () => {
    const browser = openBrowser(edge)
    const secret = await requestLink(browser, someone(), '/console?tab=runs')
    const response = await browser.post('/sign-in/link', { secret })
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe('/console?tab=runs')
    expect(response.headers.get('referrer-policy')).toBe('no-referrer')
    expect(await isSignedIn(browser)).toBe(true)
  })

  it('sets a host-only, secure, script-inaccessible cookie for seven days', async () => {
    const browser = openBrowser(edge)
    const secret = await requestLink(browser, someone())
    const response = await browser.post('/sign-in/link', { secret })
    const [pair, ...attributes] = response.headers.get('set-cookie')!.split('; ')
    expect(pair).toMatch(/^__Host-svc=[A-Za-z0-9_-]{43}$/)
    expect(attributes.toSorted()).toEqual([
      'HttpOnly',
      'Max-Age=604800',
      'Path=/',
      'SameSite=Lax',
      'Secure',
    ])
  })

  it('creates the account on the first sign-in only', async () => {
    const email = someone()
    await signIn(openBrowser(edge), email)
    await signIn(openBrowser(edge), email)
    expect(await usersOf(email)).toEqual([
      { id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/), email, createdAt: edge.clock.ms },
    ])
  })

  it('creates one account for two simultaneous first sign-ins', async () => {
    const [browser, email] = [openBrowser(edge), someone()]
    const secrets = [await requestLink(browser, email), await requestLink(browser, email)]
    const answers = await Promise.all(
      secrets.map((secret) => openBrowser(edge).post('/sign-in/link', { secret })),
    )
    expect(answers.map(({ status }) => status)).toEqual([303, 303])
    expect(await usersOf(email)).toHaveLength(1)
  })

  it('shows the e-mail address, so that a user recognizes a foreign link', async () => {
    const email = someone()
    const secret = await requestLink(openBrowser(edge), email)
    const response = await openBrowser(edge).get(`/sign-in/link?secret=${secret}`)
    expect(await response.text()).toContain(`<strong>${email}</strong>`)
  })

  it.each(['/agent/authorize', '/%61gent/authorize'])(
    'consent phishing: warns if the link leads to %s, which a stranger may have requested',
    async (path) => {
      const { challenge } = await newAgent()
      const browser = openBrowser(edge)
      const secret = await requestLink(browser, someone(), `${path}?challenge=${challenge}`)
      const page = await (await browser.get(`/sign-in/link?secret=${secret}`)).text()
      expect(page).toContain('The next page asks you to authorize a program.')
      const plain = await requestLink(browser, someone(), '/account')
      const other = await (await browser.get(`/sign-in/link?secret=${plain}`)).text()
      expect(other).not.toContain('a program may act')
    },
  )

  it('link scanners: opening the link repeatedly neither uses it up nor signs in', async () => {
    const [browser, email] = [openBrowser(edge), someone()]
    const secret = await requestLink(browser, email)
    for (let i = 0; i < 3; i++) {
      const response = await browser.get(`/sign-in/link?secret=${secret}`)
      expect(response.headers.has('set-cookie')).toBe(false)
    }
    expect(await usersOf(email)).toEqual([])
    expect((await browser.post('/sign-in/link', { secret })).status).toBe(303)
  })

  it('link scanners: HEAD does not use up the link', async () => {
    const secret = await requestLink(openBrowser(edge), someone())
    const path = `/sign-in/link?secret=${secret}`
    const response = await edge.app.request(path, { method: 'HEAD' })
    expect([response.status, response.headers.has('set-cookie')]).toEqual([200, false])
    expect((await openBrowser(edge).post('/sign-in/link', { secret })).status).toBe(303)
  })

  it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    'wrong method: %s returns 405 and does not sign in',
    async (method) => {
      const secret = await requestLink(openBrowser(edge), someone())
      for (const path of ['/sign-in', '/sign-in/link', '/sign-out']) {
        const init = {
          method,
          headers: { origin: PUBLIC_URL },
          body: new URLSearchParams({ secret }),
        }
        const response = await createApp().request(path, init, env)
        expect([path, response.status, response.headers.has('set-cookie')]).toEqual([
          path,
          405,
          false,
        ])
        expect(response.headers.get('allow')).toContain('POST')
      }
    },
  )

  it('two tabs with one link: the second gets an error, and the browser stays signed in', async () => {
    const browser = openBrowser(edge)
    const secret = await requestLink(browser, someone())
    const tabs = [secret, secret].map((one) => browser.get(`/sign-in/link?secret=${one}`))
    for (const tab of await Promise.all(tabs)) expect(tab.status).toBe(200)
    expect((await browser.post('/sign-in/link', { secret })).status).toBe(303)
    expect((await browser.post('/sign-in/link', { secret })).status).toBe(410)
    expect(await isSignedIn(browser)).toBe(true)
  })

  it('link reuse: the second use gets a page with a link to request a new one', async () => {
    const secret = await requestLink(openBrowser(edge), someone())
    await openBrowser(edge).post('/sign-in/link', { secret })
    const thief = openBrowser(edge)
    const response = await thief.post('/sign-in/link', { secret })
    expect(response.status).toBe(410)
    expect(await response.text()).toContain('<a href="/sign-in">')
    expect(thief.jar.cookie).toBe('')
  })

  it('link race: only one of many simultaneous uses succeeds', async () => {
    const secret = await requestLink(openBrowser(edge), someone())
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => openBrowser(edge).post('/sign-in/link', { secret })),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 303)).toHaveLength(1)
    expect(statuses.filter((status) => status === 410)).toHaveLength(7)
  })

  it('link expiry: is valid until the last millisecond of 15 minutes', async () => {
    const [early, late] = [openBrowser(edge), openBrowser(edge)]
    const secrets = [await requestLink(early, someone()), await requestLink(late, someone())]
    edge.clock.ms += 15 * 60_000 - 1
    expect((await early.post('/sign-in/link', { secret: secrets[0]! })).status).toBe(303)
    edge.clock.ms += 1
    expect((await late.get(`/sign-in/link?secret=${secrets[1]}`)).status).toBe(410)
    expect((await late.post('/sign-in/link', { secret: secrets[1]! })).status).toBe(410)
  })

  it.each(['', 'x', 'A'.repeat(43), 'A'.repeat(42) + 'B', "' OR 1=1 --"])(
    'returns the same response for %j, which was never a valid secret',
    async (secret) => {
      const response = await openBrowser(edge).post('/sign-in/link', { secret })
      expect(response.status).toBe(410)
    },
  )

  it('stolen database: a stored hash is not a valid secret', async () => {
    await requestLink(openBrowser(edge), someone())
    const { secretHash } = (await db.select().from(magicLinks).get())!
    const response = await openBrowser(edge).post('/sign-in/link', { secret: secretHash })
    expect(response.status).toBe(410)
  })
})

describe('a session', () => {
  it('session expiry: ends after seven days, regardless of use', async () => {
    const browser = openBrowser(edge)
    await signIn(browser, someone())
    edge.clock.ms += 7 * 24 * 3_600_000 - 1
    expect(await isSignedIn(browser)).toBe(true)
    edge.clock.ms += 1
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('session fixation: replaces a planted cookie on sign-in', async () => {
    const browser = openBrowser(edge)
    browser.jar.cookie = `__Host-svc=${'A'.repeat(43)}`
    await signIn(browser, someone())
    expect(browser.jar.cookie).not.toContain('A'.repeat(43))
    expect(await isSignedIn(browser)).toBe(true)
  })

  it('cookie injection: ignores a cookie without the __Host- prefix, which a subdomain could set', async () => {
    const browser = openBrowser(edge)
    await signIn(browser, someone())
    browser.jar.cookie = browser.jar.cookie.replace('__Host-', '')
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('session fixation: ends a planted valid session on sign-in', async () => {
    const [attacker, victim, email] = [openBrowser(edge), openBrowser(edge), someone()]
    await signIn(attacker, someone())
    victim.jar.cookie = attacker.jar.cookie
    await signIn(victim, email)
    expect(victim.jar.cookie).not.toBe(attacker.jar.cookie)
    expect(await isSignedIn(victim)).toBe(true)
    expect(await isSignedIn(attacker)).toBe(false)
  })

  it('is unique per browser: a new sign-in ends only the browser’s previous session', async () => {
    const [email, laptop, phone] = [someone(), openBrowser(edge), openBrowser(edge)]
    for (const browser of [laptop, phone, laptop]) await signIn(browser, email)
    expect([await isSignedIn(laptop), await isSignedIn(phone)]).toEqual([true, true])
    const { id } = (await usersOf(email))[0]!
    expect(await db.select().from(sessions).where(eq(sessions.userId, id))).toHaveLength(2)
  })

  it('is deleted after it expires by later sign-ins, up to a hundred at a time', async () => {
    const email = someone()
    await signIn(openBrowser(edge), email)
    const { id: userId } = (await usersOf(email))[0]!
    await db.delete(sessions)
    const rows = Array.from({ length: 120 }, (_, n) => ({
      secretHash: `expired-${n}`,
      userId,
      createdAt: 0,
      expiresAt: 1,
    }))
    for (let n = 0; n < rows.length; n += 20)
      await db.insert(sessions).values(rows.slice(n, n + 20))
    const left = async () => (await db.select().from(sessions)).filter((row) => row.expiresAt === 1)
    await signIn(openBrowser(edge), someone())
    expect(await left()).toHaveLength(20)
    await signIn(openBrowser(edge), someone())
    expect(await left()).toEqual([])
  })

  it('leaves no expired row after its owner signs in again', async () => {
    const email = someone()
    await signIn(openBrowser(edge), email)
    edge.clock.ms += 7 * 24 * 3_600_000
    await signIn(openBrowser(edge), email)
    const { id } = (await usersOf(email))[0]!
    expect(await db.select().from(sessions).where(eq(sessions.userId, id))).toHaveLength(1)
  })
})

describe('signing out', () => {
  const csrfOf = async (browser: ReturnType<typeof openBrowser>) =>
    field(await (await browser.get('/sign-in')).text(), 'csrf')

  async function signedIn(email = someone()) {
    const browser = openBrowser(edge)
    await signIn(browser, email)
    return browser
  }

  it('ends only this session, on the server and in the browser', async () => {
    const email = someone()
    const [browser, other] = [await signedIn(email), await signedIn(email)]
    const { cookie } = browser.jar
    const form = { csrf: await csrfOf(browser), where: 'here' }
    const response = await browser.post('/sign-out', form)
    expect(response.status).toBe(200)
    const page = await response.text()
    expect(page).toContain('This browser is signed out.')
    // The page itself no longer belongs to a session.
    expect(page).not.toContain('name="csrf"')
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-svc=; Max-Age=0; Path=\/; Secure$/)
    browser.jar.cookie = cookie
    expect([await isSignedIn(browser), await isSignedIn(other)]).toEqual([false, true])
  })

  it('everywhere ends all sessions of the account, and none of other accounts', async () => {
    const email = someone()
    const [browser, phone, stranger] = [
      await signedIn(email),
      await signedIn(email),
      await signedIn(),
    ]
    await browser.post('/sign-out', { csrf: await csrfOf(browser), where: 'everywhere' })
    expect(await isSignedIn(phone)).toBe(false)
    expect(await isSignedIn(stranger)).toBe(true)
  })

  it('is idempotent', async () => {
    const browser = await signedIn()
    const csrf = await csrfOf(browser)
    await browser.post('/sign-out', { csrf })
    expect((await browser.post('/sign-out', { csrf })).status).toBe(200)
  })

  it('CSRF: GET does not sign out', async () => {
    const browser = await signedIn()
    const { cookie } = browser.jar
    const response = await browser.get('/sign-out')
    expect(response.status).toBe(404)
    expect(browser.jar.cookie).toBe(cookie)
    expect(await isSignedIn(browser)).toBe(true)
  })

  it.each([
    ['another site’s form', { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' }],
    ['a form that hides where it is from', {}],
  ] as [string, Record<string, string>][])('CSRF: %s does not sign out', async (_, headers) => {
    const browser = await signedIn()
    const { cookie } = browser.jar
    const form = { csrf: await csrfOf(browser), where: 'everywhere' }
    expect((await browser.post('/sign-out', form, headers)).status).toBe(403)
    expect(browser.jar.cookie).toBe(cookie)
    expect(await isSignedIn(browser)).toBe(true)
  })

  it('CSRF: a missing or foreign form token does not sign out', async () => {
    const [browser, attacker] = [await signedIn(), await signedIn()]
    for (const csrf of [await csrfOf(attacker), '', 'x'])
      expect((await browser.post('/sign-out', { csrf, where: 'everywhere' })).status).toBe(403)
    expect(await isSignedIn(browser)).toBe(true)
  })
})
