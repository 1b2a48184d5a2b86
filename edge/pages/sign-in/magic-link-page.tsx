/** Shows and consumes magic links (docs/decisions/0048). */
import type { Context } from 'hono'
import { MAGIC_LINK_LIFETIME_MS } from '../../../shared/limits.ts'
import { DEVICE_PATH } from '../../../shared/wire/oauth.ts'
import { consumeMagicLink, peekMagicLink } from '../../identity/magic-links.ts'
import { findOrCreateUser } from '../../identity/users.ts'
import type { App, AppEnv } from '../../http/app-env.ts'
import { beginSession } from '../../http/authenticate.ts'
import { AUTHORIZE_PATH } from '../../identity/authorize-path.ts'
import { readSameOriginForm } from '../requests/same-origin-form.ts'
import { noticePage, renderPage, seeOther } from '../layout/render-page.tsx'
import { MINUTE_MS } from '../../../shared/durations.ts'

export function registerMagicLinkPage(app: App): void {
  app.get('/sign-in/link', (c) => showConfirmation(c))
  app.post('/sign-in/link', (c) => signIn(c))
}

/**
 * Shows a confirmation page without consuming the link, because scanners and link previews may open the link first.
 * Shows the account's address, so that people notice if the link would sign them in to an attacker's account (login
 * CSRF). Warns if the link leads to the approval of a program, because an attacker can have such a link sent to another
 * person's mailbox (consent phishing).
 */
async function showConfirmation(c: Context<AppEnv>): Promise<Response> {
  const secret = c.req.query('secret') ?? ''
  const link = await peekMagicLink(c.var.services, secret)
  if (!link) return expiredLinkPage(c)
  const form = (
    <form method="post" action="/sign-in/link" class="card">
      <p>
        You are signing in as <strong>{link.email}</strong>. If this is not your address, close this
        page.
      </p>
      {leadsToAuthorization(link.next) && (
        <p class="warn">
          The next page asks you to authorize a program. If you did not just start one yourself,
          refuse: somebody else requested this link.
        </p>
      )}
      <input type="hidden" name="secret" value={secret} />
      <button>Sign in</button>
    </form>
  )
  return renderPage(c, { title: 'Sign in' }, form)
}

/**
 * Decodes the path like the router, which serves the same page for different encodings of a path.
 * @param next path as returned by `safeNext`
 */
function leadsToAuthorization(next: string): boolean {
  try {
    const path = decodeURI(next.split(/[?#]/, 1)[0]!)
    return path === AUTHORIZE_PATH || path === DEVICE_PATH
  } catch {
    return false
  }
}

async function signIn(c: Context<AppEnv>): Promise<Response> {
  const form = await readSameOriginForm(c)
  if (form instanceof Response) return form
  const { services } = c.var
  const link = await consumeMagicLink(services, form.get('secret') ?? '')
  if (!link) return expiredLinkPage(c)
  const user = await findOrCreateUser(services, link.email)
  await beginSession(c, user.id)
  return seeOther(c, link.next)
}

/**
 * Page for a link that does not work. The page is identical for used, expired, unknown and malformed links, because the
 * difference would only help an attacker.
 */
function expiredLinkPage(c: Context<AppEnv>): Promise<Response> {
  return noticePage(c, {
    status: 410,
    title: 'This link no longer works',
    text: `A sign-in link works once and expires after ${MAGIC_LINK_LIFETIME_MS / MINUTE_MS} minutes. Request a new one, and open the latest e-mail.`,
    link: { href: '/sign-in', text: 'Get a new link' },
  })
}
