/** `GET /sign-in/link`, `POST /sign-in/link`: a magic link is shown, then used (`decisions.md`, Sign-in). */
import type { Context } from 'hono'
import { MAGIC_LINK_LIFETIME_MS } from '../../shared/limits.ts'
import { consumeMagicLink, peekMagicLink } from '../identity/magic-links.ts'
import { userOfEmail } from '../identity/users.ts'
import type { App, AppEnv } from './app-env.ts'
import { beginSession } from './authenticate.ts'
import { readOwnForm } from './form.ts'
import { notice, page, seeOther } from './page.tsx'

export function registerSignInLink(app: App): void {
  app.get('/sign-in/link', (c) => showButton(c))
  app.post('/sign-in/link', (c) => signIn(c))
}

/**
 * Only reads: scanners and previews open links before people do. It names the address, so that a link which
 * somebody else sent, to have you work in his account (login CSRF), can be seen for what it is.
 */
async function showButton(c: Context<AppEnv>): Promise<Response> {
  const secret = c.req.query('secret') ?? ''
  const link = await peekMagicLink(c.var.services, secret)
  if (!link) return linkIsOver(c)
  const form = (
    <form method="post" action="/sign-in/link" class="card">
      <p>
        You are signing in as <strong>{link.email}</strong>. If this is not your address, close this
        page.
      </p>
      <input type="hidden" name="secret" value={secret} />
      <button type="submit">Sign in</button>
    </form>
  )
  return page(c, { title: 'Sign in' }, form)
}

async function signIn(c: Context<AppEnv>): Promise<Response> {
  const form = await readOwnForm(c)
  if (form instanceof Response) return form
  const { services } = c.var
  const link = await consumeMagicLink(services, form.get('secret') ?? '')
  if (!link) return linkIsOver(c)
  const user = await userOfEmail(services, link.email)
  await beginSession(c, user.id)
  return seeOther(c, link.next)
}

/** One answer for used, expired, unknown and malformed: which of them it was helps only someone who guesses. */
function linkIsOver(c: Context<AppEnv>): Promise<Response> {
  return notice(c, {
    status: 410,
    title: 'This link no longer works',
    text: `A sign-in link works once, for ${MAGIC_LINK_LIFETIME_MS / 60_000} minutes. Ask for a new one and open the newest mail.`,
    link: { href: '/sign-in', text: 'Get a new link' },
  })
}
