import type { Context } from 'hono'
import type { z } from 'zod'
import { ApiError } from '../../../shared/errors/api-error.ts'
import { validate } from '../../../shared/json/json-body.ts'
import { mediaTypeOf } from '../../../shared/network/media-type.ts'
import { isSameOriginRequest } from '../../identity/csrf.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { readJson } from '../../http/json-request.ts'
import type { Session } from '../../identity/sessions.ts'
import { currentSession } from '../../http/authenticate.ts'
import { setPageHeaders } from '../layout/content-security-policy.ts'

/**
 * Maximum body size. The longest body is an authenticator's response with an RSA key in base64url, which is partly
 * repeated.
 */
const SAME_ORIGIN_JSON_MAX_BYTES = 16 * 1024

/**
 * Reads a JSON body from a script of our pages. Rejects requests from other sites (CSRF, including login CSRF) before
 * reading the body. In addition, browsers send a CORS preflight for this content type from other sites, which is never
 * granted.
 * @throws {ApiError} 403 for a request from another site; 400, 413, 415 or 422 for an invalid body
 */
export async function readSameOriginJson<Body>(
  c: Context<AppEnv>,
  schema: z.ZodType<Body>,
): Promise<Body> {
  requireSameOrigin(c)
  if (mediaTypeOf(c.req.header('content-type')) !== 'application/json') {
    throw new ApiError(415, 'The body is not JSON.', 'Send it as application/json.')
  }
  return validate(schema, await readJson(c.req.raw, SAME_ORIGIN_JSON_MAX_BYTES), 422)
}

/** @throws {ApiError} 403 unless the headers that the browser sets show that the request comes from our site */
export function requireSameOrigin(c: Context<AppEnv>): void {
  if (isSameOriginRequest(c.req.raw, c.var.services.settings.PUBLIC_URL)) return
  throw new ApiError(
    403,
    'This request did not come from a page of this site. Nothing was changed.',
    'Open the page on this site. If your browser or an extension hides the origin of requests, make an exception for this site.',
  )
}

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
