import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { localMailbox, magicLinks } from '../../../edge/db/schema.ts'
import { parseEmail } from '../../../edge/identity/email-address.ts'
import { LINKS_PER_MAILBOX } from '../../../edge/identity/magic-links.ts'
import { safeNext } from '../../../edge/identity/next-path.ts'
import { field, openBrowser, requestLink, signIn, someone, terminal } from './browser.ts'
import { db, identityApp, PUBLIC_URL } from './harness.ts'

const edge = identityApp()
const linksOf = (email: string) => db.select().from(magicLinks).where(eq(magicLinks.email, email))

describe('requesting a sign-in link', () => {
  it('sends a link to this site and prints it to the terminal of a local stack', async () => {
    const email = someone()
    const secret = await requestLink(openBrowser(edge), email)
    const link = `${PUBLIC_URL}/sign-in/link?secret=${secret}`
    expect(terminal).toHaveBeenCalledWith(`Mail to ${email}: ${link}`)
  })

  it('lowercases the e-mail address and trims whitespace', async () => {
    const email = someone()
    await openBrowser(edge).post('/sign-in', { email: ` ${email.toUpperCase()} ` })
    expect(await linksOf(email)).toHaveLength(1)
  })

  it('account oracle: returns the same page for known and unknown addresses', async () => {
    const [known, unknown] = [someone(), someone()]
    await signIn(openBrowser(edge), known)
    const pages = [known, unknown].map(async (email) => {
      const response = await openBrowser(edge).post('/sign-in', { email })
      return { status: response.status, text: (await response.text()).replace(email, '') }
    })
    expect(await pages[0]).toEqual(await pages[1])
  })

  it.each([
    '',
    'name',
    'name@',
    '@example.com',
    'a@b',
    'a@example.com\nBcc: b@example.com',
    'a b@example.com',
    '<a@example.com>',
    'Name <a@example.com>',
  ])('rejects the address %j with a page that explains what to enter', async (email) => {
    const response = await openBrowser(edge).post('/sign-in', { email })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('Enter an e-mail address')
  })

  it.each([
    'a@example.com\r\nBcc: b@example.com',
    'a@example.com%0d%0aBcc: b@example.com',
    'a\r\nBcc: b@example.com',
    '"a\r\nBcc: b"@example.com',
    'a@example.com\u0000',
    'a@example.com\u2028Bcc: b@example.com',
    'a@example.com,b@example.com',
    'a@example.com;b@example.com',
    'a@example.com b@example.com',
    'a@example.com>,<b@example.com',
  ])('header injection: rejects the address %j and sends no e-mail', async (email) => {
    const response = await openBrowser(edge).post('/sign-in', { email })
    expect(response.status).toBe(400)
    expect(parseEmail(email)).toBeUndefined()
  })

  it.each([
    { host: 'evil.test' },
    { host: 'edge.test', 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'http' },
    { host: 'edge.test@evil.test', forwarded: 'host=evil.test' },
  ] as Record<string, string>[])(
    'host header injection: %j does not appear in the link',
    async (headers) => {
      const email = someone()
      const form = { origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin', ...headers }
      await openBrowser(edge).post('/sign-in', { email }, form)
      const [mail] = await db.select().from(localMailbox).where(eq(localMailbox.recipient, email))
      expect(mail!.text).toContain(`\n${PUBLIC_URL}/sign-in/link?secret=`)
      expect(mail!.text).not.toContain('evil')
    },
  )

  it('host header injection: uses the configured host in the link', async () => {
    const email = someone()
    const init = {
      method: 'POST',
      body: new URLSearchParams({ email }),
      headers: { origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin' },
    }
    await edge.app.request('https://evil.test/sign-in', init)
    const [mail] = await db.select().from(localMailbox).where(eq(localMailbox.recipient, email))
    expect(mail!.text).toContain(`\n${PUBLIC_URL}/sign-in/link?secret=`)
  })

  it('rejects an address of more than 254 characters', () => {
    expect(parseEmail(`${'a'.repeat(250)}@example.com`)).toBeUndefined()
  })

  it('account takeover: does not convert a Kelvin sign to a k', () => {
    expect('mi\u212Ae@example.com'.toLowerCase()).toBe('mike@example.com')
    expect(parseEmail('mi\u212Ae@example.com')).toBeUndefined()
  })

  it('XSS: keeps the page to redirect to, and escapes it', async () => {
    const browser = openBrowser(edge)
    const page = await (await browser.get('/sign-in?next=%2Fconsole%3Fa%3D1')).text()
    expect(field(page, 'next')).toBe('/console?a=1')
    const attack = await browser.get(`/sign-in?next=${encodeURIComponent('/"><b>hi</b>')}`)
    expect(await attack.text()).not.toContain('<b>')
  })

  it('rejects an oversized form', async () => {
    const response = await openBrowser(edge).post('/sign-in', { email: 'a'.repeat(10_000) })
    expect(response.status).toBe(413)
  })

  it('rejects a body that is not a form', async () => {
    const headers = { origin: PUBLIC_URL, 'content-type': 'text/plain' }
    const response = await openBrowser(edge).post('/sign-in', { email: someone() }, headers)
    expect(response.status).toBe(415)
  })

  it('returns 503 in production without a mailer, explains the configuration, and stores nothing', async () => {
    const email = someone()
    const response = await openBrowser(identityApp('production')).post('/sign-in', { email })
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await response.json()).toMatchObject({
      reason: 'mailer_not_configured',
      fix: expect.stringContaining('configure a mailer'),
    })
    expect(await linksOf(email)).toEqual([])
    expect(await db.select().from(localMailbox).where(eq(localMailbox.recipient, email))).toEqual(
      [],
    )
  })
})

describe('the headers of every page', () => {
  const OWN_SCRIPT = `; script-src ${PUBLIC_URL}/scripts/sign-in.js; connect-src ${PUBLIC_URL}; require-trusted-types-for 'script'; trusted-types 'none'`

  it.each([
    ['/sign-in', OWN_SCRIPT],
    ['/sign-in/link?secret=x', ''],
    ['/agent/authorize?challenge=x', ''],
  ])(
    'keep %s out of frames, caches and Referer headers, and allow only its own script',
    async (path, scripts) => {
      const { headers } = await openBrowser(edge).get(path)
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'content-type': 'text/html; charset=UTF-8',
      })
      const policy = headers.get('content-security-policy')!
      expect(policy.replace(/style-src( 'sha256-[^']+')+;/, 'style-src STYLES;')).toBe(
        `default-src 'none'; style-src STYLES; form-action 'self'; frame-ancestors 'none'; base-uri 'none'${scripts}`,
      )
    },
  )

  it('allow exactly the styles of the page', async () => {
    const response = await openBrowser(edge).get('/sign-in')
    const styles = [...(await response.text()).matchAll(/<style>([^]*?)<\/style>/g)]
    const hashes = styles.map(async ([, style]) => {
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style))
      return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`
    })
    const policy = response.headers.get('content-security-policy')!
    const [, allowed] = /style-src ([^;]*);/.exec(policy)!
    expect(allowed).toBe((await Promise.all(hashes)).join(' '))
  })
})

describe('login CSRF: a form of another site', () => {
  const foreign = [
    { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.test' },
    { origin: `${PUBLIC_URL}.evil.test` },
    { origin: 'http://edge.test' },
    { origin: PUBLIC_URL, 'sec-fetch-site': 'same-site' },
    { origin: 'null' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'none' },
    {},
  ] as Record<string, string>[]

  it.each(foreign)('with %j does not send a link', async (headers) => {
    const email = someone()
    const response = await openBrowser(edge).post('/sign-in', { email }, headers)
    expect(response.status).toBe(403)
    expect(await linksOf(email)).toEqual([])
  })

  it.each(foreign)('with %j does not sign a victim in as the attacker', async (headers) => {
    const victim = openBrowser(edge)
    const secret = await requestLink(openBrowser(edge), someone())
    const response = await victim.post('/sign-in/link', { secret }, headers)
    expect(response.status).toBe(403)
    expect(victim.jar.cookie).toBe('')
  })

  it('is distinguished from our own forms, which browsers send with "Origin: null" under no-referrer', async () => {
    const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
    const response = await openBrowser(edge).post('/sign-in', { email: someone() }, headers)
    expect(response.status).toBe(200)
  })
})

describe('mail flood', () => {
  it('returns 429 after five open links, with the time until one expires', async () => {
    const [browser, email] = [openBrowser(edge), someone()]
    for (let i = 0; i < LINKS_PER_MAILBOX; i++) await browser.post('/sign-in', { email })
    edge.clock.ms += 60_000
    const response = await browser.post('/sign-in', { email })
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('840')
  })

  it('counts tagged addresses as one mailbox, and other mailboxes separately', async () => {
    const browser = openBrowser(edge)
    for (let i = 0; i < LINKS_PER_MAILBOX; i++) {
      await browser.post('/sign-in', { email: `dana+${i}@example.com` })
    }
    expect((await browser.post('/sign-in', { email: 'dana@example.com' })).status).toBe(429)
    expect((await browser.post('/sign-in', { email: 'dana@example.org' })).status).toBe(200)
    expect((await browser.post('/sign-in', { email: 'danae@example.com' })).status).toBe(200)
  })

  it('cannot exceed the limit with simultaneous requests', async () => {
    const [browser, email] = [openBrowser(edge), someone()]
    await Promise.all(Array.from({ length: 12 }, () => browser.post('/sign-in', { email })))
    expect(await linksOf(email)).toHaveLength(LINKS_PER_MAILBOX)
  })

  it('resets the limit and deletes the rows after the links expire', async () => {
    const [browser, email] = [openBrowser(edge), someone()]
    for (let i = 0; i < LINKS_PER_MAILBOX; i++) await browser.post('/sign-in', { email })
    edge.clock.ms += 15 * 60_000
    expect((await browser.post('/sign-in', { email })).status).toBe(200)
    expect(await linksOf(email)).toHaveLength(1)
  })
})

describe('open redirect at sign-in', () => {
  it.each([
    'https://evil.test/',
    'HTTPS:evil.test',
    '//evil.test',
    '///evil.test',
    '/\\evil.test',
    '\\\\evil.test',
    '/a\\evil.test',
    '/\t/evil.test',
    '/\n/evil.test',
    '/\u0000/evil.test',
    ' //evil.test',
    '/.//evil.test',
    '/a/..//evil.test',
    '/%2e//evil.test',
    'javascript:alert(1)',
    'data:text/html,hi',
    'evil.test',
    '@evil.test',
    'http:evil.test',
    'https:/evil.test',
    'https:///evil.test',
    'ftp://evil.test',
    '/\\/evil.test',
    '/\r\nLocation: https://evil.test',
    '\t//evil.test',
    '/./\\evil.test',
    '/..//evil.test',
    '/\u3000/evil.test',
    '／／evil.test',
    'blob:https://evil.test/x',
    '',
    `/${'a'.repeat(2000)}`,
  ])('redirects %j to /', async (next) => {
    expect(safeNext(next)).toBe('/')
    const browser = openBrowser(edge)
    const secret = await requestLink(browser, someone(), next)
    const response = await browser.post('/sign-in/link', { secret })
    expect(response.headers.get('location')).toBe('/')
  })

  it.each(['/', '/console?tab=runs#last', '/agent/authorize?challenge=abc', '/a/%2F%2Fevil.test'])(
    'accepts %j, a path of this site',
    (next) => expect(safeNext(next)).toBe(next),
  )
})
