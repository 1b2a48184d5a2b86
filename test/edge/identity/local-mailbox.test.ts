import { describe, expect, it } from 'vitest'
import { openBrowser, requestLink, someone } from './browser.ts'
import { identityApp, PUBLIC_URL } from './harness.ts'

const edge = identityApp()
const json = { accept: 'application/json' }
const open = (app: typeof edge, headers: Record<string, string>) =>
  openBrowser(app).get('/dev/mailbox', headers)

describe('the local mailbox', () => {
  it('returns e-mails as JSON, newest first', async () => {
    const [older, newer] = [someone(), someone()]
    await requestLink(openBrowser(edge), older)
    const secret = await requestLink(openBrowser(edge), newer)
    const mails = await (await open(edge, { host: 'localhost:8787', ...json })).json<object[]>()
    expect(mails[0]).toEqual({
      recipient: newer,
      subject: 'Your sign-in link',
      text: expect.stringContaining('It can be used once, within 15 minutes.'),
      link: `${PUBLIC_URL}/sign-in/link?secret=${secret}`,
      sent_at: new Date(edge.clock.ms).toISOString(),
    })
    expect(mails[1]).toMatchObject({ recipient: older })
  })

  it('shows browsers a page with the link', async () => {
    const secret = await requestLink(openBrowser(edge), someone())
    const response = await open(edge, { host: 'localhost' })
    expect(await response.text()).toContain(
      `<a href="${PUBLIC_URL}/sign-in/link?secret=${secret}">`,
    )
  })

  it.each(['localhost', 'LOCALHOST:8787', '127.0.0.1', '127.0.0.1:8787', '[::1]', '[::1]:8787'])(
    'is available under the loopback name %s',
    async (host) => expect((await open(edge, { host })).status).toBe(200),
  )

  it.each([
    'evil.test',
    'localhost.evil.test',
    '127.0.0.1.evil.test',
    'localhost@evil.test',
    '127.0.0.2',
    '',
  ])('DNS rebinding: is not available under the host %j', async (host) => {
    const response = await open(edge, { host, ...json })
    const unknown = await openBrowser(edge).get('/dev/unknown', { host, ...json })
    expect(response.status).toBe(404)
    expect(await response.text()).toBe(await unknown.text())
  })

  it('is not available in production, whatever the host', async () => {
    const response = await open(identityApp('production'), { host: 'localhost:8787', ...json })
    expect(response.status).toBe(404)
  })
})
