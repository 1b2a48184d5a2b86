import type { Context } from 'hono'
import { notifyOfPasskeyChange } from '../../identity/notices.ts'
import { removePasskey } from '../../identity/passkeys.ts'
import { ACCOUNT_CSRF_SUBJECT } from './passkey-registration.ts'
import type { App, AppEnv } from '../../http/app-env.ts'
import { currentSession } from '../../http/authenticate.ts'
import { readSameOriginForm } from '../requests/same-origin-form.ts'
import { rejectStaleForm } from '../requests/session-form.ts'
import { seeOther, signInPath } from '../layout/render-page.tsx'

export function registerPasskeyRemoval(app: App): void {
  app.post('/passkeys/remove', (c) => remove(c))
}

/**
 * Does not require a recent sign-in, because a removed passkey can be added again. A passkey of another account is
 * handled like an unknown one.
 */
async function remove(c: Context<AppEnv>): Promise<Response> {
  const form = await readSameOriginForm(c)
  if (form instanceof Response) return form
  const session = await currentSession(c)
  if (!session) return seeOther(c, signInPath('/account'))
  const stale = await rejectStaleForm(c, { session, form }, ACCOUNT_CSRF_SUBJECT, {
    text: 'Nothing was removed. You may have signed in again, or as another user, since you opened it.',
    link: { href: '/account', text: 'Open your account again' },
  })
  if (stale) return stale
  const credentialId = form.get('credential_id') ?? ''
  const { services } = c.var
  const { user } = session
  const name = await removePasskey(services, { credentialId, userId: user.id })
  if (name !== undefined) notifyOfPasskeyChange(services, { user, name, change: 'removed' })
  return seeOther(c, '/account')
}
