import type { Context } from 'hono'
import { z } from 'zod'
import { ApiError } from '../../../shared/errors/api-error.ts'
import { PASSKEYS_MAX, RECENT_SIGN_IN_MS } from '../../../shared/limits.ts'
import { labelSchema } from '../../../shared/wire/agent.ts'
import { isCsrfToken } from '../../identity/csrf.ts'
import { notifyOfPasskeyChange } from '../../identity/notices.ts'
import { registrationResponse } from '../../identity/passkey-answers.ts'
import {
  registerPasskey,
  type RegistrationResult,
  registrationOptions,
} from '../../identity/passkey-registration.ts'
import { relyingPartyOf } from '../../identity/relying-party.ts'
import type { Session } from '../../identity/sessions.ts'
import type { App, AppEnv } from '../../http/app-env.ts'
import { currentSession } from '../../http/authenticate.ts'
import { readSameOriginJson } from '../requests/same-origin-json.ts'
import { limitPasskeyCalls, noStore } from '../sign-in/passkey-sign-in.ts'
import { MINUTE_MS } from '../../../shared/durations.ts'
import { removePasskey } from '../../identity/passkeys.ts'
import { readSameOriginForm } from '../requests/same-origin-form.ts'
import { rejectStaleForm } from '../requests/session-form.ts'
import { seeOther, signInPath } from '../layout/render-page.tsx'

/** CSRF tokens for other pages are invalid for these forms. */
export const ACCOUNT_CSRF_SUBJECT = 'account'

const optionsBody = z.strictObject({ csrf: z.string() })
const registrationBody = z.strictObject({
  csrf: z.string(),
  name: labelSchema,
  response: registrationResponse,
})

export function registerPasskeyRegistration(app: App): void {
  app.post('/passkeys/registration-options', (c) => sendOptions(c))
  app.post('/passkeys', (c) => addPasskey(c))
}

async function sendOptions(c: Context<AppEnv>): Promise<Response> {
  const { csrf } = await readSameOriginJson(c, optionsBody)
  const { user } = await requireRecentSession(c, csrf)
  await limitPasskeyCalls(c)
  const { services } = c.var
  const party = relyingPartyOf(services.settings.PUBLIC_URL)
  const options = await registrationOptions(services, party, user)
  if (options === 'too_many') throw registrationError(options)
  return noStore(c).json(options)
}

async function addPasskey(c: Context<AppEnv>): Promise<Response> {
  const { csrf, name, response } = await readSameOriginJson(c, registrationBody)
  const { user } = await requireRecentSession(c, csrf)
  await limitPasskeyCalls(c)
  const { services } = c.var
  const party = relyingPartyOf(services.settings.PUBLIC_URL)
  const added = await registerPasskey(services, party, { userId: user.id, name, answer: response })
  if (added !== 'stored') {
    services.log('passkey.not_added', { reason: added })
    throw registrationError(added)
  }
  notifyOfPasskeyChange(services, { user, name, change: 'added' })
  return noStore(c).json({ name }, 201)
}

/**
 * Adding a passkey requires a recent sign-in, so that someone who stole an older session cannot gain permanent access
 * to the account.
 */
export function isRecentSignIn({ startedAt }: Session, now: number): boolean {
  return now - startedAt < RECENT_SIGN_IN_MS
}

/**
 * @param purpose completes the sentence “Sign in again to …”
 * @throws {ApiError} 403 if the sign-in is too old
 */
export function requireRecentSignIn(session: Session, now: number, purpose: string): void {
  if (isRecentSignIn(session, now)) return
  throw new ApiError(
    403,
    `You signed in more than ${RECENT_SIGN_IN_MS / MINUTE_MS} minutes ago.`,
    `Sign in again to ${purpose}.`,
    { reason: 'sign_in_again' },
  )
}

/** @throws {ApiError} 401 without a session; 403 if the page belongs to another session or the sign-in is too old */
async function requireRecentSession(c: Context<AppEnv>, csrf: string): Promise<Session> {
  const session = await currentSession(c)
  if (!session)
    throw new ApiError(401, 'You are not signed in.', 'Sign in, and open the page Sign-in again.')
  if (!(await isCsrfToken(csrf, session.secret, ACCOUNT_CSRF_SUBJECT)))
    throw new ApiError(403, 'This page is out of date.', 'Open the page Sign-in again.', {
      reason: 'page_out_of_date',
    })
  requireRecentSignIn(session, c.var.services.now(), 'add a passkey')
  return session
}

function registrationError(reason: Exclude<RegistrationResult, 'stored'>): ApiError {
  switch (reason) {
    case 'too_many':
      return new ApiError(
        409,
        `You have ${PASSKEYS_MAX} passkeys, which is the maximum.`,
        'Remove one that you no longer use.',
        { reason: 'too_many_passkeys' },
      )
    case 'already_registered':
      return new ApiError(409, 'This passkey is already registered.', 'Use another device.', {
        reason: 'passkey_registered',
      })
    case 'challenge':
    case 'unverified':
      return new ApiError(400, 'This passkey could not be added.', 'Try again.', {
        reason: 'passkey_refused',
      })
  }
}

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
    link: { href: '/account', text: 'Back to Sign-in' },
  })
  if (stale) return stale
  const credentialId = form.get('credential_id') ?? ''
  const { services } = c.var
  const { user } = session
  const name = await removePasskey(services, { credentialId, userId: user.id })
  if (name !== undefined) notifyOfPasskeyChange(services, { user, name, change: 'removed' })
  return seeOther(c, '/account')
}
