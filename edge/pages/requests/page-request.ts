/**
 * Requests of a script of our pages that act for a signed-in person. They are protected against other sites by the headers
 * that the browser sets, and by a token that only the page of the same session contains.
 */
import type { Context } from 'hono'
import { ApiError } from '../../../shared/errors/api-error.ts'
import { PAGE_TOKEN_HEADER } from '../../../shared/wire/account-links.ts'
import { csrfToken, isCsrfToken } from '../../identity/csrf.ts'
import type { Session } from '../../identity/sessions.ts'
import type { AppEnv } from '../../http/app-env.ts'
import { toErrorResponse } from '../../http/error-response.ts'
import { requireSameOrigin, requireScriptSession } from './same-origin-json.ts'

const SUBJECT = 'linked-accounts'

/** Returns the token that a page sends in the header `PAGE_TOKEN_HEADER`. */
export function pageToken(session: Session): Promise<string> {
  return csrfToken(session.secret, SUBJECT)
}

/**
 * Other sites cannot set the header without a CORS preflight, which is never granted. If another session was started in the
 * browser meanwhile, the token of the page is invalid.
 * @throws {ApiError} 403 for a request from another site or of another session; 401 without a session
 */
export async function requirePageRequest(c: Context<AppEnv>): Promise<Session> {
  // Some browsers send neither header with GET.
  if (c.req.raw.method !== 'GET' || c.req.header('origin') !== undefined) requireSameOrigin(c)
  const session = await requireScriptSession(c)
  const token = c.req.header(PAGE_TOKEN_HEADER) ?? ''
  if (await isCsrfToken(token, session.secret, SUBJECT)) return session
  throw new ApiError(
    403,
    'This page is out of date: you have signed in again, or as another user.',
    'Reload the page.',
    { reason: 'page_out_of_date' },
  )
}

const PRIVATE_HEADERS: readonly [string, string][] = [
  ['cache-control', 'no-store'],
  ['referrer-policy', 'no-referrer'],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['cross-origin-resource-policy', 'same-origin'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'; sandbox"],
]

/** Responses, including errors, are neither stored nor shown in frames, and other origins cannot read them. */
export async function privateResponse(
  c: Context<AppEnv>,
  respond: () => Promise<Response>,
): Promise<Response> {
  const response = await respond().catch((error: unknown) =>
    toErrorResponse(error, c.req.raw, c.env),
  )
  const headers = new Headers(response.headers)
  for (const [name, value] of PRIVATE_HEADERS) headers.set(name, value)
  return new Response(response.body, { status: response.status, headers })
}
