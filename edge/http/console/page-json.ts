import type { Context } from 'hono'
import { ApiError } from '../../../shared/errors.ts'
import type { Session } from '../../identity/sessions.ts'
import type { AppEnv } from '../app-env.ts'
import { signedIn } from '../authenticate.ts'
import { guardPage } from '../page/policy.ts'

/**
 * Other sites must not be able to read the response.
 * @throws {ApiError} 403 for a request from another site, before any lookup; 401 without a session
 */
export async function requireOwnScript(c: Context<AppEnv>): Promise<Session> {
  guardPage(c)
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new ApiError(
      403,
      'This endpoint accepts requests only from pages of this site.',
      'Use the API under /api.',
    )
  const session = await signedIn(c)
  if (session) return session
  throw new ApiError(401, 'You are not signed in.', 'Reload the page and sign in.')
}
