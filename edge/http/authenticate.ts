/**
 * The two ways in, which never mix (`decisions.md`, CORS): `/api/*` takes a bearer token and never looks at a
 * cookie, pages take the session cookie and never a token, so no agent can approve an agent.
 */
import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { clientNetwork } from '../../shared/client-network.ts'
import type { EndedRequest } from '../../shared/ended-request.ts'
import { ApiError } from '../../shared/errors.ts'
import { AGENT_TOKEN_MIN_CHARACTERS, SESSION_LIFETIME_MS } from '../../shared/limits.ts'
import type { Scope } from '../../shared/wire/agent.ts'
import { endOfRequest } from '../identity/agent-requests.ts'
import { findAgentUser, isTokenShape } from '../identity/agent-tokens.ts'
import type { AgentUser } from '../identity/agent-tokens.ts'
import { endSession, findSession, startSession } from '../identity/sessions.ts'
import type { Session } from '../identity/sessions.ts'
import type { AppEnv } from './app-env.ts'
import { clientAddress } from './client-address.ts'

/** With the prefix `host` the cookie is `__Host-svc`: no subdomain and no plain-HTTP page can set it. */
const COOKIE = 'svc'

/**
 * Who approved the request's bearer token; times are Unix milliseconds.
 * @param scope that the operation needs; `null` where any token will do
 * @throws {ApiError} 401 for a token that is missing, malformed, unknown, expired or revoked; 403 without the scope
 * @throws {TooManyCalls} instead of 401, where its client had too many refused; for a write above the rate of one user
 */
export async function requireUser(c: Context<AppEnv>, scope: Scope | null): Promise<AgentUser> {
  const { services } = c.var
  const header = c.req.header('authorization')
  if (header === undefined) {
    throw unauthorized(c, 'The header "Authorization: Bearer <token>" is missing.')
  }
  const token = /^bearer +([^ ]+)$/i.exec(header)?.[1]
  if (token === undefined || !isTokenShape(token)) {
    const shape = `at least ${AGENT_TOKEN_MIN_CHARACTERS} URL-safe characters`
    await countRefusal(c)
    throw unauthorized(c, `The Authorization header is not "Bearer" and a token of ${shape}.`)
  }
  const user = await findAgentUser(services, token)
  if (!user) {
    await countRefusal(c)
    const ended = await endOfRequest(services, token)
    if (ended) throw requestEnded(c, ended)
    throw unauthorized(c, 'This token is not approved: it is unknown, has expired, or was revoked.')
  }
  if (scope !== null && !user.scopes.includes(scope)) throw insufficientScope(c, scope)
  if (!['GET', 'HEAD'].includes(c.req.method)) await services.requireRate('api_write', user.id)
  return user
}

/** Refused tokens alone are counted, so that nobody's good one is refused for what others at its address do. */
function countRefusal(c: Context<AppEnv>): Promise<void> {
  const { requireRate, settings } = c.var.services
  return requireRate('refused_token_address', clientNetwork(clientAddress(c.req.raw, settings)))
}

/** The session of the browser, or `undefined` where it has none that is still good. */
export async function signedIn(c: Context<AppEnv>): Promise<Session | undefined> {
  const secret = getCookie(c, COOKIE, 'host')
  if (secret === undefined) return undefined
  // A page asks for its content and once more for its header.
  const found = c.get('session') ?? findSession(c.var.services, secret)
  c.set('session', found)
  return found
}

/** Signs the browser in. The session that it had ends, whoever's it was: nobody could sign out of it any more. */
export async function beginSession(c: Context<AppEnv>, userId: string): Promise<void> {
  const before = getCookie(c, COOKIE, 'host')
  const secret = await startSession(c.var.services, userId)
  setSessionCookie(c, secret)
  if (before !== undefined) await endSession(c.var.services, before)
}

/** Takes the cookie from the browser; its session is ended by `endSession`. */
export function clearSessionCookie(c: Context<AppEnv>): void {
  // The page that says so has the header of one who is signed out.
  c.set('session', Promise.resolve(undefined))
  deleteCookie(c, COOKIE, { prefix: 'host', path: '/', secure: true })
}

/** Gives the browser a session's cookie. Lax: a link from a terminal or a mail arrives signed in, a foreign form does not. */
function setSessionCookie(c: Context<AppEnv>, secret: string): void {
  setCookie(c, COOKIE, secret, {
    prefix: 'host',
    path: '/',
    secure: true,
    httpOnly: true,
    sameSite: 'Lax',
    maxAge: SESSION_LIFETIME_MS / 1000,
  })
}

function unauthorized(
  c: Context<AppEnv>,
  message: string,
  { waiting = true, reason }: { waiting?: boolean; reason?: EndedRequest } = {},
): ApiError {
  const page = new URL('/agent/authorize', c.var.services.settings.PUBLIC_URL).href
  const again = `generate a new token (48 random bytes in base64url), open ${page}?challenge=<base64url of the token's SHA-256, without padding> in a signed-in browser and press Authorize.`
  const fix = waiting
    ? `If you are waiting for an approval, ask again in a second. Otherwise ${again}`
    : `Do not wait any longer. Ask your user, and if it was a mistake, ${again}`
  const headers = { 'WWW-Authenticate': 'Bearer' }
  return new ApiError(401, message, fix, { headers, reason })
}

const ENDS: Record<EndedRequest, string> = {
  request_refused: 'The request for this token was refused.',
  request_locked: 'The request for this token was locked: too many wrong codes were typed.',
  request_expired: 'The request for this token has expired.',
}

/** Said to who has the token alone: it is found by the token's hash. */
function requestEnded(c: Context<AppEnv>, reason: EndedRequest): ApiError {
  return unauthorized(c, ENDS[reason], { waiting: false, reason })
}

/** RFC 6750 3.1. */
function insufficientScope(c: Context<AppEnv>, scope: Scope): ApiError {
  const page = new URL('/agent/authorize', c.var.services.settings.PUBLIC_URL).href
  return new ApiError(
    403,
    `This token may not do this: it was not given ${scope}.`,
    `A token keeps the scopes that it was approved with. If your user agrees, generate a new token, open ${page}?challenge=<its challenge> and have it approved with ${scope}.`,
    {
      reason: 'insufficient_scope',
      headers: { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    },
  )
}
