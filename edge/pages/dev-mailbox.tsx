/** The path exists only in a local stack. */
import type { Context } from 'hono'
import { ENVIRONMENTS } from '../../shared/config/environments.ts'
import { type DeliveredMail, readLocalMailbox } from '../identity/local-mailbox.ts'
import type { App, AppEnv } from '../http/app-env.ts'
import { renderPage } from './layout/render-page.tsx'
import { Time } from '../browser/components/elements.tsx'

/**
 * Allowed values of the Host header. Other names are rejected to prevent DNS rebinding, in which an attacker's host
 * name resolves to 127.0.0.1.
 */
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i

export function registerDevMailbox(app: App): void {
  app.get('/dev/mailbox', async (c) => {
    const isLocal = !ENVIRONMENTS[c.var.services.settings.SVC_ENV].isPublic
    if (!isLocal || !LOOPBACK_HOST.test(c.req.header('host') ?? '')) return c.notFound()
    const mails = await readLocalMailbox(c.var.services)
    if (!c.req.header('accept')?.includes('application/json')) return mailboxPage(c, mails)
    c.header('Cache-Control', 'no-store')
    return c.json(
      mails.map(({ sentAt, ...mail }) => ({ ...mail, sent_at: new Date(sentAt).toISOString() })),
    )
  })
}

function mailboxPage(c: Context<AppEnv>, mails: DeliveredMail[]): Promise<Response> {
  const content =
    mails.length === 0 ? (
      <p class="card">No mail yet.</p>
    ) : (
      <ol class="rows">
        {mails.map((mail) => (
          <li>
            <article>
              <h2>{mail.subject}</h2>
              <p class="note">
                To {mail.recipient}, <Time at={mail.sentAt} />
              </p>
              <p>{mail.link === null ? mail.text : <a href={mail.link}>{mail.link}</a>}</p>
            </article>
          </li>
        ))}
      </ol>
    )
  return renderPage(c, { title: 'Local mailbox' }, content)
}
