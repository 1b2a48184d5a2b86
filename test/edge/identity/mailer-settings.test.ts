import { describe, expect, it } from 'vitest'
import { settingsOf } from '../../../edge/env.ts'
import { mailerSetting } from '../../../edge/identity/mailer-settings.ts'
import { MAIL_FROM } from '../../doubles/mail-api.ts'
import { env } from '../app.ts'

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

  it('configures no mailer if it is absent or empty', () => {
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
  ])('parses the sender %j', (from, sender) => {
    if (sender) expect(read({ ...good, from })?.from).toEqual(sender)
    else expect(() => read({ ...good, from })).toThrow()
  })

  it('accepts another URL for the API, such as that of another region', () => {
    const url = 'https://api.eu.sendgrid.com/'
    expect(read({ ...good, api: 'sendgrid', url })?.url).toBe('https://api.eu.sendgrid.com')
  })

  it.each([
    ['{"token":"tok_k3y"', 'MAILER: expected JSON'],
    [{ ...good, api: 'tok_k3y' }, 'MAILER.api'],
    [{ ...good, from: 'tok_k3y' }, 'MAILER.from'],
    [{ ...good, from: 'Svc\r\nBcc: tok_k3y <a@b.example>' }, 'MAILER.from'],
    [{ ...good, from: 'a@b.example, tok_k3y@c.example' }, 'MAILER.from'],
    [{ ...good, token: '' }, 'MAILER.token'],
    [{ ...good, token: 'tok_k3y\r\nx: y' }, 'MAILER.token'],
    [{ ...good, token: ['tok_k3y'] }, 'MAILER.token'],
    [{ ...good, tok_k3y: 1 }, 'MAILER: unknown field'],
    [{ ...good, url: 'http://tok_k3y.example' }, 'MAILER.url'],
    [{ ...good, url: 'https://user:tok_k3y@api.example' }, 'MAILER.url'],
    [{ ...good, url: 'https://api.example?tok_k3y' }, 'MAILER.url'],
    [{ ...good, url: 'tok_k3y' }, 'MAILER.url'],
    ['"tok_k3y"', 'MAILER'],
  ])('names the location of the error in %j without quoting it', (mailer, place) => {
    const said = complaint(typeof mailer === 'string' ? mailer : JSON.stringify(mailer))
    expect(said).toContain(place)
    expect(said).not.toContain('tok_k3y')
  })
})
