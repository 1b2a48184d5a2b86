import type { Context } from 'hono'
import { isCsrfToken } from '../../identity/csrf.ts'
import type { Session } from '../../identity/sessions.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { currentSession } from '../../http/authenticate.ts'
import { readSameOriginForm, rejectCrossOriginForm } from './same-origin-form.ts'
import { noticePage, seeOther, signInPath } from '../layout/render-page.tsx'

type SessionForm = { session: Session; form: URLSearchParams }

/**
 * Reads a form of a signed-in user. If the request is rejected, returns the response to send instead: an error page, or
 * a redirect to the sign-in page. The body is read only if the user is signed in, because forms can be several
 * megabytes long.
 * @param subject the action and its target; a CSRF token for one subject is invalid for all others
 * @param back path on this site to link or redirect to
 */
export async function readSessionForm(
  c: Context<AppEnv>,
  { subject, back, maxBytes }: { subject: string; back: string; maxBytes?: number },
): Promise<SessionForm | Response> {
  const foreign = await rejectCrossOriginForm(c)
  if (foreign) return foreign
  const session = await currentSession(c)
  if (!session) return seeOther(c, signInPath(back))
  const form = await readSameOriginForm(c, maxBytes === undefined ? {} : { maxBytes })
  if (form instanceof Response) return form
  const stale = await rejectStaleForm(c, { session, form }, subject, {
    text: 'Nothing was done. You may have signed in again, or with another account, since it was opened.',
    link: { href: back, text: 'Reload the page' },
  })
  return stale ?? { session, form }
}

export async function rejectStaleForm(
  c: Context<AppEnv>,
  { session, form }: SessionForm,
  subject: string,
  notice: { text: string; link: { href: string; text: string } },
): Promise<Response | undefined> {
  if (await isCsrfToken(form.get('csrf') ?? '', session.secret, subject)) return undefined
  return noticePage(c, { status: 403, title: 'This page is out of date', ...notice })
}

export async function requirePageSession(c: Context<AppEnv>): Promise<Session | Response> {
  const session = await currentSession(c)
  const { pathname, search } = new URL(c.req.url)
  return session ?? seeOther(c, signInPath(pathname + search))
}
