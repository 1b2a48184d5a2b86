import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { localMailbox } from '../../../edge/db/schema.ts'
import { noMailer } from '../../../edge/identity/mailer.ts'
import { notifyOfApproval, notifyOfPasskeyChange } from '../../../edge/identity/notices.ts'
import { requireRate } from '../../../edge/limits/require-rate.ts'
import { RATES } from '../../../edge/limits/rates.ts'
import { env } from '../app.ts'
import { someone } from './browser.ts'
import { db, identityApp, PUBLIC_URL } from './harness.ts'
import { account, mailerOf } from './mail-account.ts'

const log = vi.spyOn(console, 'error').mockImplementation(() => {})
const logged = () => JSON.stringify(log.mock.calls)
beforeEach(() => {
  log.mockClear()
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
afterAll(() => log.mockRestore())
let frozen: { mockRestore(): void } | undefined
afterEach(() => frozen?.mockRestore())

describe('a notice by e-mail', () => {
  const edge = identityApp()
  const mailsTo = (email: string) =>
    db.select().from(localMailbox).where(eq(localMailbox.recipient, email))
  const userOf = (email: string) => ({ id: 'user', email })

  it('contains the program, its access, the time, and where to revoke it', async () => {
    const [email, scopes] = [someone(), ['triggers:read', 'triggers:write'] as const]
    notifyOfApproval(edge.services, { user: userOf(email), label: 'Deploy bot 1.2', scopes })
    await edge.afterwards()
    const [sent] = await mailsTo(email)
    expect(sent!.subject).toBe('A program was authorized')
    expect(sent!.text).toContain('Name: Deploy bot 1.2\n')
    expect(sent!.text).toContain('create, change and delete')
    expect(sent!.text).toContain('2026-11-20 00:00 UTC')
    expect(sent!.text).toContain(`${PUBLIC_URL}/agent/tokens\n`)
  })

  it('states that a program has only read access, or no name', async () => {
    const [email, scopes] = [someone(), ['triggers:read'] as const]
    notifyOfApproval(edge.services, { user: userOf(email), label: null, scopes })
    await edge.afterwards()
    expect((await mailsTo(email))[0]!.text).toMatch(/It has no name\.[^]*not change anything/)
  })

  it.each(['added', 'removed'] as const)(
    'states which passkey was %s, and links to the account',
    async (change) => {
      const email = someone()
      notifyOfPasskeyChange(edge.services, { user: userOf(email), name: 'Laptop', change })
      await edge.afterwards()
      const [sent] = await mailsTo(email)
      expect(sent!.subject).toBe(`A passkey was ${change}`)
      expect(sent!.text).toContain('Name: Laptop')
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
  ])('phishing: the label %j does not become a link', async (label) => {
    const email = someone()
    notifyOfApproval(edge.services, { user: userOf(email), label, scopes: ['triggers:read'] })
    await edge.afterwards()
    const line = /Name: (.*)/.exec((await mailsTo(email))[0]!.text)![1]!
    expect(line).not.toMatch(/:\/\/|[\p{L}\p{N}]\.\p{L}|@\p{L}|mailto:\S/u)
    expect(line.replaceAll(' ', '')).toBe(label.replaceAll(' ', ''))
  })

  it('mail flood: limits notices of approvals without suppressing those of passkeys', async () => {
    const email = someone()
    frozen = vi.spyOn(Date, 'now').mockReturnValue(Date.now())
    const services = {
      ...edge.services,
      requireRate: (...call: [keyof typeof RATES, string]) => requireRate(env, ...call),
    }
    const approval = { user: userOf(email), label: null, scopes: ['triggers:read'] as const }
    for (let n = 0; n < RATES.notice_mailbox.burst + 3; n++) notifyOfApproval(services, approval)
    await edge.afterwards()
    expect(await mailsTo(email)).toHaveLength(RATES.notice_mailbox.burst)
    expect(log).toHaveBeenCalledTimes(3)
    notifyOfPasskeyChange(services, { user: userOf(email), name: 'x', change: 'added' })
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
    'that fails because of %s is logged without the address, and nothing is undone',
    async (_, make) => {
      const [email, mailer] = [someone(), await make()]
      notifyOfPasskeyChange(
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
