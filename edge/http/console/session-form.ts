/** What pages of the console ask before they do something: a form of ours, sent by the page that this session saw. */
import type { Context } from 'hono'
import { csrfToken, isCsrfToken } from '../../identity/csrf.ts'
import type { Session } from '../../identity/sessions.ts'
import type { AppEnv } from '../app-env.ts'
import { signedIn } from '../authenticate.ts'
import { readOwnForm, refuseForeignForm } from '../form.ts'
import { notice, seeOther, signInPath } from '../page.tsx'

export type SessionForm = { session: Session; form: URLSearchParams }

/**
 * Who is signed in, and the fields that they sent; or the page that refuses it, or the way to sign in. These forms have
 * megabytes: of who is not signed in none is read.
 * @param subject what the form does, and to which thing: its token is worth nothing for another
 * @param back a path of this site where the person goes on
 */
export async function readSessionForm(
  c: Context<AppEnv>,
  { subject, back, maxBytes }: { subject: string; back: string; maxBytes?: number },
): Promise<SessionForm | Response> {
  const foreign = await refuseForeignForm(c)
  if (foreign) return foreign
  const session = await signedIn(c)
  if (!session) return seeOther(c, signInPath(back))
  const form = await readOwnForm(c, maxBytes === undefined ? {} : { maxBytes })
  if (form instanceof Response) return form
  if (await isCsrfToken(form.get('csrf') ?? '', session.secret, subject)) return { session, form }
  return notice(c, {
    status: 403,
    title: 'This page is out of date',
    text: 'Nothing was done. You may have signed in again, or as somebody else, since it was opened.',
    link: { href: back, text: 'Open it again' },
  })
}

/** The session, or the way to sign in and back to this page. */
export async function requirePageSession(c: Context<AppEnv>): Promise<Session | Response> {
  const session = await signedIn(c)
  const { pathname, search } = new URL(c.req.url)
  return session ?? seeOther(c, signInPath(pathname + search))
}

/** The hidden field of a form. */
export const formToken = (session: Session, subject: string) => csrfToken(session.secret, subject)
