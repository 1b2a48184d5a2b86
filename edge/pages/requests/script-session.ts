import type { Context } from 'hono'
import { ApiError } from '../../../shared/errors/api-error.ts'
import type { Session } from '../../identity/sessions.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { currentSession } from '../../http/authenticate.ts'
import { setPageHeaders } from '../layout/content-security-policy.ts'

/**
 * Returns the session of a request that a script of our pages has sent. Other sites must not be able to read the
 * response.
 * @throws {ApiError} 403 for a request from another site, before any lookup; 401 without a session
 */
export async function requireScriptSession(c: Context<AppEnv>): Promise<Session> {
  setPageHeaders(c)
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new ApiError(
      403,
      'This endpoint accepts requests only from pages of this site.',
      'Use the API under /api.',
    )
  const session = await currentSession(c)
  if (session) return session
  throw new ApiError(401, 'You are not signed in.', 'Reload the page and sign in.')
}
