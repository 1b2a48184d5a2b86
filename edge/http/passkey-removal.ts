/** Submitted by a form on `/account` that works without scripts. */
import type { Context } from 'hono'
import { isCsrfToken } from '../identity/csrf.ts'
import { noticeOfPasskey } from '../identity/notices.ts'
import { removePasskey } from '../identity/passkeys.ts'
import { ACCOUNT_FORMS } from './account-forms.ts'
import type { App, AppEnv } from './app-env.ts'
import { signedIn } from './authenticate.ts'
import { readOwnForm } from './form.ts'
import { notice, seeOther, signInPath } from './page.tsx'

export function registerPasskeyRemoval(app: App): void {
  app.post('/passkeys/remove', (c) => remove(c))
}

/**
 * Does not require a recent sign-in, because a removed passkey can be added again. A passkey of another account is
 * treated as unknown.
 */
async function remove(c: Context<AppEnv>): Promise<Response> {
  const form = await readOwnForm(c)
  if (form instanceof Response) return form
  const session = await signedIn(c)
  if (!session) return seeOther(c, signInPath('/account'))
  if (!(await isCsrfToken(form.get('csrf') ?? '', session.secret, ACCOUNT_FORMS))) {
    return notice(c, {
      status: 403,
      title: 'This page is out of date',
      text: 'Nothing was removed. You may have signed in again, or as another user, since you opened it.',
      link: { href: '/account', text: 'Open your account again' },
    })
  }
  const credentialId = form.get('credential_id') ?? ''
  const { services } = c.var
  const { user } = session
  const name = await removePasskey(services, { credentialId, userId: user.id })
  if (name !== undefined) noticeOfPasskey(services, { user, name, change: 'removed' })
  return seeOther(c, '/account')
}
