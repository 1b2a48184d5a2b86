import type { Context } from 'hono'
import type { z } from 'zod'
import { ApiError } from '../../shared/errors.ts'
import { validate } from '../../shared/json-body.ts'
import { isFromOwnPage } from '../identity/csrf.ts'
import type { AppEnv } from './app-env.ts'
import { readJson } from './json-request.ts'

/** The longest is an answer of an authenticator with an RSA key, in base64url, some parts of it twice. */
export const OWN_JSON_MAX_BYTES = 16 * 1024

/**
 * The body that a script of our own pages sent. Another site's page (CSRF, and login CSRF) ends before its body is read,
 * and its browser would have to ask first whether it may send this content type: nobody ever says that it may.
 * @throws {ApiError} 403 for a request from elsewhere; 400, 413, 415, 422 for another body than `schema`'s
 */
export async function readOwnJson<Body>(
  c: Context<AppEnv>,
  schema: z.ZodType<Body>,
  { maxBytes = OWN_JSON_MAX_BYTES } = {},
): Promise<Body> {
  const source = { origin: c.req.header('origin'), fetchSite: c.req.header('sec-fetch-site') }
  if (!isFromOwnPage(source, c.var.services.settings.PUBLIC_URL)) {
    throw new ApiError(
      403,
      'This request did not come from a page of this site. Nothing was done.',
      'Open the page on this site itself; a browser or an extension that hides where requests come from has to let this site see it.',
    )
  }
  const type = c.req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
  if (type !== 'application/json') {
    throw new ApiError(415, 'The body is not JSON.', 'Send it as application/json.')
  }
  return validate(schema, await readJson(c.req.raw, maxBytes), 422)
}
