import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest'
import { localMailbox, magicLinks } from '../../../edge/db/schema.ts'
import { settingsOf } from '../../../edge/env.ts'
import { apiMailer, SEND_LIMITS } from '../../../edge/identity/api-mailer.ts'
import { LINKS_PER_MAILBOX } from '../../../edge/identity/magic-links.ts'
import { MAIL_API_NAMES, type MailApiName } from '../../../edge/identity/mail-apis.ts'
import { MailNotSent, noMailer } from '../../../edge/identity/mailer.ts'
import { mailerSetting } from '../../../edge/identity/mailer-settings.ts'
import { noticeOfApproval, noticeOfPasskey } from '../../../edge/identity/notices.ts'
import { requireRate } from '../../../edge/limits/require-rate.ts'
import { RATES } from '../../../edge/limits/rates.ts'
import { INACTIVE_RECIPIENT, MAIL_FROM, MAIL_TOKEN } from '../../doubles/mail-api.ts'
import type { MailFault, ReceivedMail } from '../../doubles/mail-api.ts'
import { env } from '../app.ts'
import { edgeWith } from '../http/front-harness.ts'
import { openBrowser, someone } from './browser.ts'
import { db, identityApp, PUBLIC_URL } from './harness.ts'

const LINK = `${PUBLIC_URL}/sign-in/link?secret=${'s'.repeat(43)}`
const mail = (recipient = someone()) => ({ recipient, subject: 'Your sign-in link', text: LINK })

/** An account of its own at the double. */
async function account(...faults: MailFault[]) {
  const url = `${inject('mailApi')}/${crypto.randomUUID()}`
  await fetch(`${url}/faults`, { method: 'POST', body: JSON.stringify(faults) })
  type Seen = { mails: ReceivedMail[]; requests: { headers: Record<string, string> }[] }
  return { url, seen: async (): Promise<Seen> => (await fetch(`${url}/received`)).json() }
}

const MAILER = (api: MailApiName, url: string, token = MAIL_TOKEN) =>
  JSON.stringify({ api, from: MAIL_FROM, token, url })

/** A mailer that notes for how long it would have waited. */
function mailerOf(
  api: MailApiName,
  url: string,
  { token = MAIL_TOKEN, limits = SEND_LIMITS } = {},
) {
  const waits: number[] = []
  const clock = { ms: 0 }
  const deps = {
    fetch: (...request: Parameters<typeof fetch>) => fetch(...request),
    now: () => clock.ms,
    random: (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)),
    wait: async (ms: number) => {
      waits.push(ms)
      clock.ms += ms
    },
  }
  const mailer = apiMailer(mailerSetting.parse(MAILER(api, url, token))!, deps, limits)
  return { ...mailer, waits }
}

const failureOf = async (sending: Promise<void>) => {
  const error = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof MailNotSent)) throw new Error('MailNotSent was expected', { cause: error })
  return error
}

const log = vi.spyOn(console, 'error').mockImplementation(() => {})
const logged = () => JSON.stringify(log.mock.calls)
beforeEach(() => {
  log.mockClear()
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterAll(() => log.mockRestore())
let frozen: { mockRestore(): void } | undefined
afterEach(() => frozen?.mockRestore())

describe.each(MAIL_API_NAMES)('sending through %s', (api) => {
  it('delivers the mail as it was written, its link untouched, in one request', async () => {
    const { url, seen } = await account()
    const recipient = someone()
    await mailerOf(api, url).send(mail(recipient))
    const { mails, requests } = await seen()
    const from = api === 'sendgrid' ? MAIL_FROM : MAIL_FROM.replace(/^(.+) </, '"$1" <')
    const subject = 'Your sign-in link'
    expect(mails).toEqual([{ from, to: recipient, subject, text: LINK, tracked: false }])
    expect(requests).toHaveLength(1)
  })

  it('fails at once where the token is refused, and says so with the API’s own code', async () => {
    const { url, seen } = await account()
    const mailer = mailerOf(api, url, { token: 'tok_old' })
    const { failure } = await failureOf(mailer.send(mail()))
    expect(failure.reason).toBe('refused')
    expect(failure.code).toBe({ resend: 'invalid_api_key', postmark: '10' }[api as string])
    expect((await seen()).requests).toHaveLength(1)
  })

  it('tries again after 429 and 5xx, at most twice, and has sent one mail then', async () => {
    const { url, seen } = await account({ status: 503 }, { status: 429 })
    const mailer = mailerOf(api, url)
    await mailer.send(mail())
    expect((await seen()).mails).toHaveLength(1)
    expect(mailer.waits).toEqual([500, 1_500])
  })

  it('gives up after the third attempt', async () => {
    const { url, seen } = await account({ status: 500 }, { status: 500 }, { status: 502 })
    const { failure } = await failureOf(mailerOf(api, url).send(mail()))
    expect(failure).toEqual({ reason: 'unavailable', status: 502 })
    expect((await seen()).requests).toHaveLength(3)
  })

  it('a redirect that would take the token and the link elsewhere is not followed', async () => {
    const [trap, { url, seen }] = [await account(), await account()]
    const body = JSON.stringify([{ status: 307, headers: { location: `${trap.url}/emails` } }])
    await fetch(`${url}/faults`, { method: 'POST', body })
    const { failure } = await failureOf(mailerOf(api, url).send(mail()))
    expect(failure).toEqual({ reason: 'redirected', status: 307 })
    expect((await seen()).requests).toHaveLength(1)
    expect((await trap.seen()).requests).toEqual([])
  })
})

describe('an e-mail API that does not answer as it should', () => {
  it('is waited for as long as it asks, where that is within the bound', async () => {
    const { url } = await account({ status: 429, headers: { 'retry-after': '7' } })
    const mailer = mailerOf('resend', url)
    await mailer.send(mail())
    expect(mailer.waits).toEqual([7_000])
  })

  it('is not waited for where it asks for more: the caller hears for how long', async () => {
    const { url, seen } = await account({ status: 429, headers: { 'retry-after': '60' } })
    const { failure } = await failureOf(mailerOf('resend', url).send(mail()))
    expect(failure).toMatchObject({ reason: 'too_many', retryAfterMs: 60_000 })
    expect((await seen()).requests).toHaveLength(1)
  })

  it('a silent one is left after its time, each attempt', async () => {
    const { url, seen } = await account({ silent: true }, { silent: true }, { silent: true })
    const limits = { attemptMs: 200, totalMs: 20_000 }
    const { failure } = await failureOf(mailerOf('postmark', url, { limits }).send(mail()))
    expect(failure).toEqual({ reason: 'timeout' })
    expect((await seen()).requests).toHaveLength(3)
  })

  it('one that is not there is a failure of the network', async () => {
    const { failure } = await failureOf(mailerOf('resend', 'https://127.0.0.1:9').send(mail()))
    expect(failure).toEqual({ reason: 'network' })
  })

  it('an answer that got lost is no second mail where the API knows the request again', async () => {
    const { url, seen } = await account({ lost: true })
    await mailerOf('resend', url).send(mail())
    const { mails, requests } = await seen()
    expect(mails).toHaveLength(1)
    const keys = requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual([keys[0], keys[0]])
  })

  it('two mails have two idempotency keys', async () => {
    const { url, seen } = await account()
    const mailer = mailerOf('resend', url)
    await mailer.send(mail())
    await mailer.send(mail())
    const keys = (await seen()).requests.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(2)
  })

  it('an answer without end is read up to its bound', async () => {
    const body = `{"name":"validation_error","message":"${'x'.repeat(100_000)}"}`
    const { url } = await account({ status: 422, body })
    const { failure } = await failureOf(mailerOf('resend', url).send(mail()))
    expect(failure).toEqual({ reason: 'refused', status: 422 })
  })

  it.each([
    ['resend', '{"name":"to someone@example.com"}'],
    ['resend', '{"name":{"toString":1}}'],
    ['postmark', '{"ErrorCode":"https://edge.test/x"}'],
    ['sendgrid', '{"errors":[]}'],
    ['sendgrid', 'null'],
    ['sendgrid', '<html>'],
  ] as const)('of %s, nothing of %j is repeated: it may quote an address', async (api, body) => {
    const { url } = await account({ status: 400, body })
    const { message } = await failureOf(mailerOf(api, url).send(mail()))
    expect(message).toBe(`${api} refused 400`)
  })
})

describe('sign-in where mail goes out through an API', () => {
  const post = (email: string): [string, RequestInit] => [
    '/sign-in',
    {
      method: 'POST',
      body: new URLSearchParams({ email }),
      headers: { origin: 'https://edge.test', 'cf-connecting-ip': '203.0.113.90' },
    },
  ]
  const production = (url: string, token?: string) =>
    edgeWith({
      SVC_ENV: 'production',
      ORIGIN_TRUST: 'hardware',
      SIM_ROOT_SHA256: undefined,
      CHAINS: undefined,
      MAILER: MAILER('resend', url, token),
    })
  const linksOf = (email: string) => db.select().from(magicLinks).where(eq(magicLinks.email, email))

  it('mails the link, and keeps nothing of it in the local mailbox', async () => {
    const [{ url, seen }, email] = [await account(), someone()]
    const response = await production(url)(...post(email))
    expect(response.status).toBe(200)
    const [sent] = (await seen()).mails
    expect(sent).toMatchObject({ to: email, subject: 'Your sign-in link' })
    expect(sent!.text).toMatch(/https:\/\/edge\.test\/sign-in\/link\?secret=[\w-]{43}\n/)
    const kept = eq(localMailbox.recipient, email)
    expect(await db.select().from(localMailbox).where(kept)).toEqual([])
  })

  it('is 503 mail_not_sent with Retry-After where the API refuses; address, link and token are in no log', async () => {
    const [{ url }, email] = [await account(), someone()]
    const response = await production(url, 'tok_old')(...post(email))
    const body = await response.text()
    expect(response.status).toBe(503)
    expect(JSON.parse(body)).toMatchObject({ error: 'mail_not_sent' })
    expect(response.headers.get('retry-after')).toBe('300')
    expect(logged()).toContain('resend refused 403 invalid_api_key')
    for (const secret of [email, 'tok_old', 'secret='])
      expect(logged() + body).not.toContain(secret)
  })

  it('a mail that was not sent does not count against its mailbox, and its link opens nothing', async () => {
    const [{ url, seen }, email] = [await account(), someone()]
    const failing = mailerOf('resend', url, { token: 'tok_old' })
    const away = openBrowser(identityApp('production', { mailer: failing }))
    for (let n = 0; n <= LINKS_PER_MAILBOX; n++)
      expect((await away.post('/sign-in', { email })).status).toBe(503)
    expect(await linksOf(email)).toEqual([])
    const back = openBrowser(identityApp('production', { mailer: mailerOf('resend', url) }))
    expect((await back.post('/sign-in', { email })).status).toBe(200)
    expect((await seen()).mails).toHaveLength(1)
  })

  it('a recipient that the API has given up on is the same answer as an API that is away', async () => {
    const { url } = await account()
    const browser = openBrowser(identityApp('production', { mailer: mailerOf('postmark', url) }))
    const response = await browser.post('/sign-in', { email: INACTIVE_RECIPIENT })
    expect(await response.json()).toMatchObject({ error: 'mail_not_sent' })
  })

  it('a local stack that was given a deployment’s mailer writes to nobody', async () => {
    const [{ url, seen }, email] = [await account(), someone()]
    const response = await edgeWith({ MAILER: MAILER('resend', url) })(...post(email))
    expect(response.status).toBe(200)
    expect((await seen()).requests).toEqual([])
  })
})

describe('MAILER', () => {
  const read = (mailer: unknown) => mailerSetting.parse(JSON.stringify(mailer))
  const good = { api: 'resend', from: MAIL_FROM, token: 'tok_k3y' }
  const complaint = (text: string) => {
    try {
      settingsOf({ ...env, MAILER: text })
    } catch (error) {
      return (error as Error).message
    }
  }

  it('is no mailer where it is absent or empty', () => {
    expect([mailerSetting.parse(undefined), mailerSetting.parse(' ')]).toEqual([
      undefined,
      undefined,
    ])
  })

  it.each([
    ['Svc, Inc. <a@b.example>', { name: 'Svc, Inc.', email: 'a@b.example' }],
    ['Söckchen<a@b.example>', { name: 'Söckchen', email: 'a@b.example' }],
    [' a@b.example ', { email: 'a@b.example' }],
    ['<a@b.example>', undefined],
  ])('reads the sender %j', (from, sender) => {
    if (sender) expect(read({ ...good, from })?.from).toEqual(sender)
    else expect(() => read({ ...good, from })).toThrow()
  })

  it('takes another place of the API, such as another region’s', () => {
    const url = 'https://api.eu.sendgrid.com/'
    expect(read({ ...good, api: 'sendgrid', url })?.url).toBe('https://api.eu.sendgrid.com')
  })

  it.each([
    ['{"token":"tok_k3y"', 'MAILER: JSON'],
    [{ ...good, api: 'tok_k3y' }, 'MAILER.api'],
    [{ ...good, from: 'tok_k3y' }, 'MAILER.from'],
    [{ ...good, from: 'Svc\r\nBcc: tok_k3y <a@b.example>' }, 'MAILER.from'],
    [{ ...good, from: 'a@b.example, tok_k3y@c.example' }, 'MAILER.from'],
    [{ ...good, token: '' }, 'MAILER.token'],
    [{ ...good, token: 'tok_k3y\r\nx: y' }, 'MAILER.token'],
    [{ ...good, token: ['tok_k3y'] }, 'MAILER.token'],
    [{ ...good, tok_k3y: 1 }, 'MAILER: a member is not known'],
    [{ ...good, url: 'http://tok_k3y.example' }, 'MAILER.url'],
    [{ ...good, url: 'https://user:tok_k3y@api.example' }, 'MAILER.url'],
    [{ ...good, url: 'https://api.example?tok_k3y' }, 'MAILER.url'],
    [{ ...good, url: 'tok_k3y' }, 'MAILER.url'],
    ['"tok_k3y"', 'MAILER'],
  ])('names what is wrong in %j by its place, and never quotes it', (mailer, place) => {
    const said = complaint(typeof mailer === 'string' ? mailer : JSON.stringify(mailer))
    expect(said).toContain(place)
    expect(said).not.toContain('tok_k3y')
  })
})

describe('a notice', () => {
  const edge = identityApp()
  const mailsTo = (email: string) =>
    db.select().from(localMailbox).where(eq(localMailbox.recipient, email))
  const userOf = (email: string) => ({ id: 'user', email })

  it('says which program was authorized, for what, when, and where to revoke it', async () => {
    const [email, scopes] = [someone(), ['triggers:read', 'triggers:write'] as const]
    noticeOfApproval(edge.services, { user: userOf(email), label: 'Deploy bot 1.2', scopes })
    await edge.afterwards()
    const [sent] = await mailsTo(email)
    expect(sent!.subject).toBe('A program was authorized')
    expect(sent!.text).toContain('It is called: Deploy bot 1.2\n')
    expect(sent!.text).toContain('create, change and delete')
    expect(sent!.text).toContain('2026-11-20 00:00 UTC')
    expect(sent!.text).toContain(`${PUBLIC_URL}/agent/tokens\n`)
  })

  it('of a program that may only read says that, and that it has no name where it has none', async () => {
    const [email, scopes] = [someone(), ['triggers:read'] as const]
    noticeOfApproval(edge.services, { user: userOf(email), label: null, scopes })
    await edge.afterwards()
    expect((await mailsTo(email))[0]!.text).toMatch(/It has no name\.[^]*change nothing/)
  })

  it.each(['added', 'removed'] as const)(
    'says which passkey was %s, and where to look',
    async (change) => {
      const email = someone()
      noticeOfPasskey(edge.services, { user: userOf(email), name: 'Laptop', change })
      await edge.afterwards()
      const [sent] = await mailsTo(email)
      expect(sent!.subject).toBe(`A passkey was ${change}`)
      expect(sent!.text).toContain('It is called: Laptop')
      expect(sent!.text).toContain(`${PUBLIC_URL}/account`)
    },
  )

  it.each([
    'https://evil.test/login',
    'Call evil.test now',
    'www.evil.test',
    'HTTPS://EVIL.TEST',
    'mailto:me@evil.test',
    'evil.test/login?x=1',
    'https://exämple.test',
  ])('phishing through our mail: the label %j makes no link in it', async (label) => {
    const email = someone()
    noticeOfApproval(edge.services, { user: userOf(email), label, scopes: ['triggers:read'] })
    await edge.afterwards()
    const line = /It is called: (.*)/.exec((await mailsTo(email))[0]!.text)![1]!
    expect(line).not.toMatch(/:\/\/|[\p{L}\p{N}]\.\p{L}|@\p{L}|mailto:\S/u)
    expect(line.replaceAll(' ', '')).toBe(label.replaceAll(' ', ''))
  })

  it('mail flooding by approvals ends, and hides no passkey that is added then', async () => {
    const email = someone()
    frozen = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
    const services = {
      ...edge.services,
      requireRate: (...call: [keyof typeof RATES, string]) => requireRate(env, ...call),
    }
    const approval = { user: userOf(email), label: null, scopes: ['triggers:read'] as const }
    for (let n = 0; n < RATES.notice_mailbox.burst + 3; n++) noticeOfApproval(services, approval)
    await edge.afterwards()
    expect(await mailsTo(email)).toHaveLength(RATES.notice_mailbox.burst)
    expect(log).toHaveBeenCalledTimes(3)
    noticeOfPasskey(services, { user: userOf(email), name: 'x', change: 'added' })
    await edge.afterwards()
    const subjects = (await mailsTo(email)).map(({ subject }) => subject)
    expect(subjects).toContain('A passkey was added')
  })

  it.each([
    [
      'an API that refuses',
      async () => mailerOf('resend', (await account()).url, { token: 'old' }),
    ],
    ['no mailer', async () => noMailer],
    [
      'a mailer that breaks',
      async () => ({
        send: async (to: { recipient: string }) => Promise.reject(new Error(to.recipient)),
      }),
    ],
  ])(
    'that meets %s undoes nothing: it is logged by a class, without the address',
    async (_, make) => {
      const [email, mailer] = [someone(), await make()]
      noticeOfPasskey(
        { ...edge.services, mailer },
        { user: userOf(email), name: 'x', change: 'added' },
      )
      await edge.afterwards()
      expect(logged()).toContain('notice.not_sent')
      expect(logged()).toContain('passkey_added')
      expect(logged()).not.toContain(email)
    },
  )
})
