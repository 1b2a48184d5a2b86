import type { Context } from 'hono'
import { z } from 'zod'
import { clientNetwork } from '../../../shared/network/client-network.ts'
import { ApiError } from '../../../shared/errors/api-error.ts'
import { safeNext } from '../../identity/next-path.ts'
import { signInResponse } from '../../identity/passkey-answers.ts'
import { signInOptions, verifyPasskeySignIn } from '../../identity/passkey-sign-in.ts'
import { relyingPartyOf } from '../../identity/relying-party.ts'
import type { App, AppEnv } from '../../http/app-env.ts'
import { beginSession } from '../../http/authenticate.ts'
import { clientAddress } from '../../http/client-address.ts'
import { readSameOriginJson } from '../requests/same-origin-json.ts'

const signInBody = z.strictObject({ response: signInResponse, next: z.string().optional() })

export function registerPasskeySignIn(app: App): void {
  app.post('/passkeys/sign-in-options', (c) => sendOptions(c))
  app.post('/passkeys/sign-in', (c) => signIn(c))
}

async function sendOptions(c: Context<AppEnv>): Promise<Response> {
  await readSameOriginJson(c, z.strictObject({}))
  await limitPasskeyCalls(c)
  const { services } = c.var
  const options = await signInOptions(services, relyingPartyOf(services.settings.PUBLIC_URL))
  return noStore(c).json(options)
}

async function signIn(c: Context<AppEnv>): Promise<Response> {
  const { response, next } = await readSameOriginJson(c, signInBody)
  await limitPasskeyCalls(c)
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

export async function limitPasskeyCalls(c: Context<AppEnv>): Promise<void> {
  const { requireRate, settings } = c.var.services
  await requireRate('passkey_address', clientNetwork(clientAddress(c.req.raw, settings)))
}

/** Prevents caching, because a passkey response is meant for one browser and a single use. */
export function noStore(c: Context<AppEnv>): Context<AppEnv> {
  c.header('Cache-Control', 'no-store')
  return c
}

/**
 * Error for a rejected sign-in. The error is identical for all reasons, so that an attacker cannot find out whether a
 * passkey exists or to whom it belongs.
 */
function notSignedIn(): ApiError {
  return new ApiError(
    403,
    'Sign-in with this passkey failed.',
    'Try again, or sign in with a link sent to your e-mail address.',
    { reason: 'passkey_refused' },
  )
}
