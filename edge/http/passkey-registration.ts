/** Used only by the script of `/account`. */
import type { Context } from 'hono'
import { z } from 'zod'
import { ApiError } from '../../shared/errors.ts'
import { PASSKEYS_MAX, RECENT_SIGN_IN_MS } from '../../shared/limits.ts'
import { labelSchema } from '../../shared/wire/agent.ts'
import { isCsrfToken } from '../identity/csrf.ts'
import { noticeOfPasskey } from '../identity/notices.ts'
import { registrationAnswer } from '../identity/passkey-answers.ts'
import {
  registerPasskey,
  type Registration,
  registrationOptions,
} from '../identity/passkey-registration.ts'
import { relyingPartyOf } from '../identity/relying-party.ts'
import type { Session } from '../identity/sessions.ts'
import { ACCOUNT_FORMS } from './account-forms.ts'
import type { App, AppEnv } from './app-env.ts'
import { signedIn } from './authenticate.ts'
import { readOwnJson } from './own-json.ts'
import { countPasskeyCall, noStore } from './passkey-sign-in.ts'

const optionsBody = z.strictObject({ csrf: z.string() })
const registrationBody = z.strictObject({
  csrf: z.string(),
  name: labelSchema,
  response: registrationAnswer,
})

export function registerPasskeyRegistration(app: App): void {
  app.post('/passkeys/registration-options', (c) => giveOptions(c))
  app.post('/passkeys', (c) => add(c))
}

async function giveOptions(c: Context<AppEnv>): Promise<Response> {
  const { csrf } = await readOwnJson(c, optionsBody)
  const { user } = await requireRecentSession(c, csrf)
  await countPasskeyCall(c)
  const { services } = c.var
  const party = relyingPartyOf(services.settings.PUBLIC_URL)
  const options = await registrationOptions(services, party, user)
  if (options === 'too_many') throw refused(options)
  return noStore(c).json(options)
}

async function add(c: Context<AppEnv>): Promise<Response> {
  const { csrf, name, response } = await readOwnJson(c, registrationBody)
  const { user } = await requireRecentSession(c, csrf)
  await countPasskeyCall(c)
  const { services } = c.var
  const party = relyingPartyOf(services.settings.PUBLIC_URL)
  const added = await registerPasskey(services, party, { userId: user.id, name, answer: response })
  if (added !== 'stored') {
    services.log('passkey.not_added', { reason: added })
    throw refused(added)
  }
  noticeOfPasskey(services, { user, name, change: 'added' })
  return noStore(c).json({ name }, 201)
}

/** Prevents a stolen session from gaining permanent access to the account later. */
export function isRecent({ startedAt }: Session, now: number): boolean {
  return now - startedAt < RECENT_SIGN_IN_MS
}

/** @throws {ApiError} 401 without a session; 403 if the page belongs to another session or the sign-in is too old */
async function requireRecentSession(c: Context<AppEnv>, csrf: string): Promise<Session> {
  const session = await signedIn(c)
  if (!session)
    throw new ApiError(401, 'You are not signed in.', 'Sign in, and open your account again.')
  if (!(await isCsrfToken(csrf, session.secret, ACCOUNT_FORMS)))
    throw new ApiError(403, 'This page is out of date.', 'Open your account again.', {
      reason: 'page_out_of_date',
    })
  if (!isRecent(session, c.var.services.now()))
    throw new ApiError(
      403,
      `You signed in more than ${RECENT_SIGN_IN_MS / 60_000} minutes ago.`,
      'Sign in again to add a passkey.',
      { reason: 'sign_in_again' },
    )
  return session
}

function refused(why: Exclude<Registration, 'stored'>): ApiError {
  switch (why) {
    case 'too_many':
      return new ApiError(
        409,
        `Your account has ${PASSKEYS_MAX} passkeys, which is the maximum.`,
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
