/**
 * Authenticates requests by bearer token or session cookie. Each route accepts only one of the two: `/api/*` accepts
 * bearer tokens, and pages accept the session cookie. An agent therefore cannot approve another agent.
 */
import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { clientNetwork } from '../../shared/network/client-network.ts'
import type { EndedRequestCode } from '../../shared/wire/ended-request-codes.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import { AGENT_TOKEN_MIN_CHARACTERS, SESSION_LIFETIME_MS } from '../../shared/limits.ts'
import type { Scope } from '../../shared/wire/agent.ts'
import { findEndedRequest } from '../identity/agent-requests.ts'
import { type AgentUser, findAgentUser, isTokenShape } from '../identity/agent-tokens.ts'
import { endSession, findSession, type Session, startSession } from '../identity/sessions.ts'
import type { AppEnv, Services } from './app-env.ts'
import { clientAddress } from './client-address.ts'
import { inProcessUser } from './in-process-requests.ts'

/**
 * Name of the session cookie, without its `__Host-` prefix. Subdomains and plain-HTTP pages cannot set a cookie with
 * that prefix.
 */
const COOKIE = 'svc'

/**
 * Returns the user who approved the bearer token. Times are in Unix milliseconds.
 * @param scope required scope, or `null` if any token is sufficient
 * @throws {ApiError} 401 if the token is missing, malformed, unknown, expired or revoked; 403 without the scope
 * @throws {RateLimitExceededError} if the client sent too many rejected tokens, or the user too many writes
 */
export async function requireUser(c: Context<AppEnv>, scope: Scope | null): Promise<AgentUser> {
  const user = inProcessUser(c.req.raw) ?? (await requireTokenUser(c))
  if (scope !== null && !user.scopes.includes(scope)) throw insufficientScope(c, scope)
  if (!['GET', 'HEAD'].includes(c.req.method))
    await c.var.services.requireRate('api_write', user.id)
  return user
}

type TokenRules = {
  /** Default: accepts only tokens of agents. */
  find?: (services: Services, token: string) => Promise<AgentUser | undefined>
  /** Value of `WWW-Authenticate`. */
  challenge?: string
}

/**
 * Returns the user who approved the bearer token, which may have any scope.
 * @throws {ApiError} 401 if the token is missing, malformed, unknown, expired or revoked
 * @throws {RateLimitExceededError} if the client sent too many rejected tokens
 */
export async function requireTokenUser(
  c: Context<AppEnv>,
  { find = findAgentUser, challenge = 'Bearer' }: TokenRules = {},
): Promise<AgentUser> {
  const { services } = c.var
  const header = c.req.header('authorization')
  if (header === undefined) {
    throw unauthorized(c, challenge, 'The header "Authorization: Bearer <token>" is missing.')
  }
  const token = /^bearer +([^ ]+)$/i.exec(header)?.[1]
  if (token === undefined || !isTokenShape(token)) {
    const shape = `at least ${AGENT_TOKEN_MIN_CHARACTERS} URL-safe characters`
    await countRejectedToken(c)
    throw unauthorized(
      c,
      challenge,
      `The Authorization header must be "Bearer" followed by a token of ${shape}.`,
    )
  }
  const user = await find(services, token)
  if (!user) {
    await countRejectedToken(c)
    // The request is looked up by the hash of the token, so only a client that has the token learns how the request
    // ended.
    const reason = await findEndedRequest(services, token)
    if (reason) throw unauthorized(c, challenge, ENDED_MESSAGES[reason], reason)
    throw unauthorized(
      c,
      challenge,
      'This token is not approved: it is unknown, has expired, or was revoked.',
    )
  }
  return user
}

/**
 * Limits the number of rejected tokens per client address. Valid tokens are not counted, so that they keep working if
 * other clients at the same address send invalid ones.
 */
export function countRejectedToken(c: Context<AppEnv>): Promise<void> {
  const { requireRate, settings } = c.var.services
  return requireRate('refused_token_address', clientNetwork(clientAddress(c.req.raw, settings)))
}

export async function currentSession(c: Context<AppEnv>): Promise<Session | undefined> {
  const secret = getCookie(c, COOKIE, 'host')
  if (secret === undefined) return undefined
  // Caches the session, because a page uses it for both its content and its header.
  const found = c.get('session') ?? findSession(c.var.services, secret)
  c.set('session', found)
  return found
}

/**
 * Starts a session and sets the session cookie. Ends the browser's previous session, even one of another user: its
 * cookie is overwritten, so the browser could no longer sign out of that session.
 */
export async function beginSession(c: Context<AppEnv>, userId: string): Promise<void> {
  const previous = getCookie(c, COOKIE, 'host')
  const secret = await startSession(c.var.services, userId)
  setCookie(c, COOKIE, secret, {
    prefix: 'host',
    path: '/',
    secure: true,
    httpOnly: true,
    // With `Lax`, browsers send the cookie when a link from a terminal or an e-mail is opened, but not with forms on
    // other sites.
    sameSite: 'Lax',
    maxAge: SESSION_LIFETIME_MS / 1000,
  })
  if (previous !== undefined) await endSession(c.var.services, previous)
}

/** Deletes only the cookie. To end the session itself, call `endSession`. */
export function clearSessionCookie(c: Context<AppEnv>): void {
  // The page that is rendered for this request must already show the signed-out state.
  c.set('session', Promise.resolve(undefined))
  deleteCookie(c, COOKIE, { prefix: 'host', path: '/', secure: true })
}

/** @param reason reason why the authorization request has ended; absent if the approval may still be pending */
function unauthorized(
  c: Context<AppEnv>,
  challenge: string,
  message: string,
  reason?: EndedRequestCode,
): ApiError {
  const page = new URL('/agent/authorize', c.var.services.settings.PUBLIC_URL).href
  const again = `generate a new token (48 random bytes in base64url), open ${page}?challenge=<base64url of the token's SHA-256, without padding> in a signed-in browser and press Authorize.`
  const fix = reason
    ? `Stop polling and ask your user. If it was a mistake, ${again}`
    : `If you are waiting for approval, try again in a second. Otherwise, ${again}`
  const headers = { 'WWW-Authenticate': challenge }
  return new ApiError(401, message, fix, { headers, reason })
}

const ENDED_MESSAGES: Record<EndedRequestCode, string> = {
  request_refused: 'The request for this token was refused.',
  request_locked: 'The request for this token was locked after too many wrong codes.',
  request_expired: 'The request for this token has expired.',
}

/** Error 403 for a token that lacks the required scope (RFC 6750, 3.1). */
function insufficientScope(c: Context<AppEnv>, scope: Scope): ApiError {
  const page = new URL('/agent/authorize', c.var.services.settings.PUBLIC_URL).href
  return new ApiError(
    403,
    `This token does not have the scope ${scope}.`,
    `The scopes of an approved token cannot be changed. If your user agrees, generate a new token, open ${page}?challenge=<its challenge> and have it approved with ${scope}.`,
    {
      reason: 'insufficient_scope',
      headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    },
  )
}
