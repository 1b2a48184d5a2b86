import type { Context } from 'hono'
import { ApiError } from '../../../shared/errors.ts'
import type { Session } from '../../identity/sessions.ts'
import type { AppEnv } from '../app-env.ts'
import { signedIn } from '../authenticate.ts'
import { guardPage } from '../page/policy.ts'

/**
 * Returns the session of a JSON request by one of our own scripts. The response must not be readable by other sites.
 * @throws {ApiError} 403 for another site's page, before any lookup; 401 without a session
 */
export async function requireOwnScript(c: Context<AppEnv>): Promise<Session> {
  guardPage(c)
  const site = c.req.header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw new ApiError(403, 'This is asked by pages of this site alone.', 'Use the API under /api.')
  const session = await signedIn(c)
  if (session) return session
  throw new ApiError(401, 'Nobody is signed in.', 'Open the page again, and sign in.')
}
