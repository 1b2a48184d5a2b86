import type { Context } from 'hono'
import { BODY_TIMEOUT_MS } from '../../../shared/limits.ts'
import { clientNetwork } from '../../../shared/network/client-network.ts'
import { mediaTypeOf } from '../../../shared/network/media-type.ts'
import { OAuthError } from '../../oauth/oauth-error.ts'
import { requiredParameter } from '../../oauth/parameters.ts'
import type { AppEnv } from '../app-env.ts'
import { readBody } from '../body-bytes.ts'
import { clientAddress } from '../client-address.ts'
import { toOAuthFailure } from '../failure.ts'

/** Maximum size of a request to the token endpoint, which has a few short parameters. */
const FORM_MAX_BYTES = 16 * 1024

type OAuthForm = { form: URLSearchParams; clientId: string }

/**
 * Handles a request of a client, and responds to failures in the form of RFC 6749, 5.2. All clients are public, so a
 * request that contains client credentials is rejected.
 */
export async function handleOAuthForm(
  c: Context<AppEnv>,
  handle: (given: OAuthForm) => Promise<Response>,
): Promise<Response> {
  c.header('Cache-Control', 'no-store')
  try {
    const { requireRate, settings } = c.var.services
    await requireRate('oauth_address', clientNetwork(clientAddress(c.req.raw, settings)))
    if (mediaTypeOf(c.req.header('content-type')) !== 'application/x-www-form-urlencoded')
      throw new OAuthError(
        'invalid_request',
        'Send the parameters as application/x-www-form-urlencoded.',
      )
    const bounds = { maxBytes: FORM_MAX_BYTES, withinMs: BODY_TIMEOUT_MS }
    const form = new URLSearchParams(new TextDecoder().decode(await readBody(c.req.raw, bounds)))
    const hasCredentials =
      c.req.header('authorization') !== undefined ||
      form.has('client_secret') ||
      form.has('client_assertion')
    if (hasCredentials)
      throw new OAuthError(
        'invalid_client',
        'Clients do not authenticate: send client_id without credentials.',
      )
    return await handle({ form, clientId: requiredParameter(form, 'client_id') })
  } catch (error) {
    const failure = toOAuthFailure(error)
    if (!failure) throw error
    const { status, headers, ...body } = failure
    return c.json(body, status, headers)
  }
}
