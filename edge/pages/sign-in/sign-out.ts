import type { Context } from 'hono'
import { endAllSessions, endSession } from '../../identity/sessions.ts'
import type { App, AppEnv } from '../../http/app-env.ts'
import { clearSessionCookie, currentSession } from '../../http/authenticate.ts'
import { readSameOriginForm } from '../requests/same-origin-form.ts'
import { rejectStaleForm } from '../requests/session-form.ts'
import { noticePage } from '../layout/render-page.tsx'
import { SIGN_OUT_SUBJECT } from '../layout/header.tsx'

export function registerSignOut(app: App): void {
  app.post('/sign-out', (c) => signOut(c))
}

/**
 * Signs the user out. Idempotent: returns the same page if the user is already signed out, for example after a double
 * click or if the session has expired.
 */
async function signOut(c: Context<AppEnv>): Promise<Response> {
  const form = await readSameOriginForm(c)
  if (form instanceof Response) return form
  const session = await currentSession(c)
  if (!session) return signedOutPage(c, 'This browser is not signed in.')
  const stale = await rejectStaleForm(c, { session, form }, SIGN_OUT_SUBJECT, {
    text: 'You are still signed in. You may have signed in again, or with another account, since the page was opened.',
    link: { href: '/', text: 'Go to the home page' },
  })
  if (stale) return stale
  const { services } = c.var
  if (form.get('where') === 'everywhere') {
    await endAllSessions(services, session.user.id)
    return signedOutPage(c, 'All browsers are signed out of this account.')
  }
  await endSession(services, session.secret)
  return signedOutPage(c, 'This browser is signed out.')
}

function signedOutPage(c: Context<AppEnv>, text: string): Promise<Response> {
  clearSessionCookie(c)
  return noticePage(c, {
    title: 'Signed out',
    text: `${text} Authorized programs keep working until you revoke them.`,
    link: { href: '/sign-in', text: 'Sign in' },
  })
}
