/** Used only by the script of `/sign-in`. */
import type { Context } from 'hono'
import { z } from 'zod'
import { clientNetwork } from '../../shared/client-network.ts'
import { ApiError } from '../../shared/errors.ts'
import { safeNext } from '../identity/next-path.ts'
import { signInAnswer } from '../identity/passkey-answers.ts'
import { signInOptions, verifyPasskeySignIn } from '../identity/passkey-sign-in.ts'
import { relyingPartyOf } from '../identity/relying-party.ts'
import type { App, AppEnv } from './app-env.ts'
import { beginSession } from './authenticate.ts'
import { clientAddress } from './client-address.ts'
import { readOwnJson } from './own-json.ts'

const signInBody = z.strictObject({ response: signInAnswer, next: z.string().optional() })

export function registerPasskeySignIn(app: App): void {
  app.post('/passkeys/sign-in-options', (c) => giveOptions(c))
  app.post('/passkeys/sign-in', (c) => signIn(c))
}

async function giveOptions(c: Context<AppEnv>): Promise<Response> {
  await readOwnJson(c, z.strictObject({}))
  await countPasskeyCall(c)
  const { services } = c.var
  const options = await signInOptions(services, relyingPartyOf(services.settings.PUBLIC_URL))
  return noStore(c).json(options)
}

/** Returns the path to continue to. */
async function signIn(c: Context<AppEnv>): Promise<Response> {
  const { response, next } = await readOwnJson(c, signInBody)
  await countPasskeyCall(c)
  const { services } = c.var
  const party = relyingPartyOf(services.settings.PUBLIC_URL)
  const result = await verifyPasskeySignIn(services, party, response)
  if ('refused' in result) {
    c.var.services.log('passkey.sign_in_refused', { reason: result.refused })
    throw notSignedIn()
  }
  await beginSession(c, result.userId)
  return noStore(c).json({ next: safeNext(next) })
}

/**
 * Limited by client address.
 * @throws {TooManyCalls} if the limit is exceeded
 */
export async function countPasskeyCall(c: Context<AppEnv>): Promise<void> {
  const { requireRate, settings } = c.var.services
  await requireRate('passkey_address', clientNetwork(clientAddress(c.req.raw, settings)))
}

/** A passkey response is meant for one browser and a single use. */
export function noStore(c: Context<AppEnv>): Context<AppEnv> {
  c.header('Cache-Control', 'no-store')
  return c
}

/** Identical for all reasons, so that an attacker cannot find out if a passkey exists or to whom it belongs. */
function notSignedIn(): ApiError {
  return new ApiError(
    403,
    'Sign-in with this passkey failed.',
    'Try again, or sign in with a link sent to your e-mail address.',
    { reason: 'passkey_refused' },
  )
}
