import type { Context } from 'hono'
import { ApiError } from '../../../shared/errors.ts'
import type { Session } from '../../identity/sessions.ts'
import type { AppEnv } from '../app-env.ts'
import { signedIn } from '../authenticate.ts'
import { guardPage } from '../page/policy.ts'

/**
 * Who asks for JSON of a page: a script of our own, with the session. The answer is for this site alone.
 * @throws {ApiError} 403 for another site's page, before anything is looked up; 401 without a session
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
