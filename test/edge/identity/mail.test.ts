import { eq } from 'drizzle-orm'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { localMailbox, magicLinks } from '../../../edge/db/schema.ts'
import { LINKS_PER_MAILBOX } from '../../../edge/identity/magic-links.ts'
import { MAIL_API_NAMES } from '../../../edge/identity/mail-apis.ts'
import { MailNotSentError } from '../../../edge/identity/mailer.ts'
import { INACTIVE_RECIPIENT, MAIL_FROM } from '../../doubles/mail-api.ts'
import { edgeWith } from '../http/front-harness.ts'
import { openBrowser, someone } from './browser.ts'
import { db, identityApp, PUBLIC_URL } from './harness.ts'
import { account, MAILER, mailerOf } from './mail-account.ts'

const LINK = `${PUBLIC_URL}/sign-in/link?secret=${'s'.repeat(43)}`
const mail = (recipient = someone()) => ({ recipient, subject: 'Your sign-in link', text: LINK })

const failureOf = async (sending: Promise<void>) => {
  const error = await sending.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof MailNotSentError))
    throw new Error('MailNotSent was expected', { cause: error })
  return error
}

const log = vi.spyOn(console, 'error').mockImplementation(() => {})
const logged = () => JSON.stringify(log.mock.calls)
beforeEach(() => {
  log.mockClear()
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterAll(() => log.mockRestore())

describe.each(MAIL_API_NAMES)('sending through %s', (api) => {
  it('delivers the e-mail and its link unchanged in one request', async () => {
    const { url, seen } = await account()
    const recipient = someone()
    await mailerOf(api, url).send(mail(recipient))
    const { mails, requests } = await seen()
    const from = api === 'sendgrid' ? MAIL_FROM : MAIL_FROM.replace(/^(.+) </, '"$1" <')
    const subject = 'Your sign-in link'
    expect(mails).toEqual([{ from, to: recipient, subject, text: LINK, tracked: false }])
    expect(requests).toHaveLength(1)
  })

  it('sends additional headers', async () => {
    const { url, seen } = await account()
    const headers = { 'List-Unsubscribe': '<https://edge.test/alerts/mute?token=t>' }
    await mailerOf(api, url).send({ ...mail(), headers })
    const [request] = (await seen()).requests
    const sent = JSON.stringify(request)
    expect(sent).toContain('List-Unsubscribe')
    expect(sent).toContain('https://edge.test/alerts/mute?token=t')
  })

  it('fails immediately with the code of the API if the token is rejected', async () => {
    const { url, seen } = await account()
    const mailer = mailerOf(api, url, { token: 'tok_old' })
    const { failure } = await failureOf(mailer.send(mail()))
    expect(failure.reason).toBe('refused')
    expect(failure.code).toBe({ resend: 'invalid_api_key', postmark: '10' }[api as string])
    expect((await seen()).requests).toHaveLength(1)
  })

  it('retries at most twice after 429 and 5xx, and sends one e-mail in total', async () => {
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

  it('redirect: does not follow a redirect that would leak the token and the link', async () => {
    const [trap, { url, seen }] = [await account(), await account()]
    const body = JSON.stringify([{ status: 307, headers: { location: `${trap.url}/emails` } }])
    await fetch(`${url}/faults`, { method: 'POST', body })
    const { failure } = await failureOf(mailerOf(api, url).send(mail()))
    expect(failure).toEqual({ reason: 'redirected', status: 307 })
    expect((await seen()).requests).toHaveLength(1)
    expect((await trap.seen()).requests).toEqual([])
  })
})

describe('a failing e-mail API', () => {
  it('is retried after its Retry-After if that is within the limit', async () => {
    const { url } = await account({ status: 429, headers: { 'retry-after': '7' } })
    const mailer = mailerOf('resend', url)
    await mailer.send(mail())
    expect(mailer.waits).toEqual([7_000])
  })

  it('is not retried if its Retry-After exceeds the limit, and the caller gets the delay', async () => {
    const { url, seen } = await account({ status: 429, headers: { 'retry-after': '60' } })
    const { failure } = await failureOf(mailerOf('resend', url).send(mail()))
    expect(failure).toMatchObject({ reason: 'too_many', retryAfterMs: 60_000 })
    expect((await seen()).requests).toHaveLength(1)
  })

  it('times out on each attempt if it does not respond', async () => {
    const { url, seen } = await account({ silent: true }, { silent: true }, { silent: true })
    const limits = { attemptMs: 1_000, totalMs: 20_000 }
    const { failure } = await failureOf(mailerOf('postmark', url, { limits }).send(mail()))
    expect(failure).toEqual({ reason: 'timeout' })
    expect((await seen()).requests).toHaveLength(3)
  })

  it('causes a network error if it is unreachable', async () => {
    const { failure } = await failureOf(mailerOf('resend', 'https://127.0.0.1:9').send(mail()))
    expect(failure).toEqual({ reason: 'network' })
  })

  it('does not send twice after a lost response if it supports idempotency keys', async () => {
    const { url, seen } = await account({ lost: true })
    await mailerOf('resend', url).send(mail())
    const { mails, requests } = await seen()
    expect(mails).toHaveLength(1)
    const keys = requests.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual([keys[0], keys[0]])
  })

  it('gets a different idempotency key for each e-mail', async () => {
    const { url, seen } = await account()
    const mailer = mailerOf('resend', url)
    await mailer.send(mail())
    await mailer.send(mail())
    const keys = (await seen()).requests.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(2)
  })

  it('endless response: is read only up to the limit', async () => {
    const body = `{"name":"validation_error","message":"${'x'.repeat(100_000)}"}`
    const { url } = await account({ status: 422, body })
    const { failure } = await failureOf(mailerOf('resend', url).send(mail()))
    expect(failure).toEqual({ reason: 'refused', status: 422 })
  })

  it.each([
    ['resend', '{"name":"to someone@example.com"}'],
    ['resend', '{"name":"re_8GhZ2xkQ_token"}'],
    ['resend', '{"name":{"toString":1}}'],
    ['postmark', '{"ErrorCode":"https://edge.test/x"}'],
    ['sendgrid', '{"errors":[]}'],
    ['sendgrid', 'null'],
    ['sendgrid', '<html>'],
  ] as const)('address or token leak: from %s, nothing of %j is repeated', async (api, body) => {
    const { url } = await account({ status: 400, body })
    const { message } = await failureOf(mailerOf(api, url).send(mail()))
    expect(message).toBe(`${api} refused 400`)
  })
})

describe('signing in through an e-mail API', () => {
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

  it('sends the link by e-mail and stores nothing in the local mailbox', async () => {
    const [{ url, seen }, email] = [await account(), someone()]
    const response = await production(url)(...post(email))
    expect(response.status).toBe(200)
    const [sent] = (await seen()).mails
    expect(sent).toMatchObject({ to: email, subject: 'Your sign-in link' })
    expect(sent!.text).toMatch(/https:\/\/edge\.test\/sign-in\/link\?secret=[\w-]{43}\n/)
    const kept = eq(localMailbox.recipient, email)
    expect(await db.select().from(localMailbox).where(kept)).toEqual([])
  })

  it('returns 503 mail_not_sent with Retry-After on failure, and logs no address, link or token', async () => {
    const [{ url }, email] = [await account(), someone()]
    const response = await production(url, 'tok_old')(...post(email))
    const body = await response.text()
    expect(response.status).toBe(503)
    expect(JSON.parse(body)).toMatchObject({ reason: 'mail_not_sent' })
    expect(response.headers.get('retry-after')).toBe('300')
    expect(logged()).toContain('resend refused 403 invalid_api_key')
    for (const secret of [email, 'tok_old', 'secret='])
      expect(logged() + body).not.toContain(secret)
  })

  it('does not count a failed e-mail against its mailbox, and its link is invalid', async () => {
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

  it('mailbox oracle: an inactive recipient gets the same response as a failing API', async () => {
    const { url } = await account()
    const browser = openBrowser(identityApp('production', { mailer: mailerOf('postmark', url) }))
    const response = await browser.post('/sign-in', { email: INACTIVE_RECIPIENT })
    expect(await response.json()).toMatchObject({ reason: 'mail_not_sent' })
  })

  it('sends nothing from a local stack that has the mailer of a deployment', async () => {
    const [{ url, seen }, email] = [await account(), someone()]
    const response = await edgeWith({ MAILER: MAILER('resend', url) })(...post(email))
    expect(response.status).toBe(200)
    expect((await seen()).requests).toEqual([])
  })
})
