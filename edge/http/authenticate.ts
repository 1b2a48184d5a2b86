/**
 * The two ways in, which never mix (`decisions.md`, CORS): `/api/*` takes a bearer token and never looks at a
 * cookie, pages take the session cookie and never a token, so no agent can approve an agent.
 */
import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { clientNetwork } from '../../shared/client-network.ts'
import { ApiError } from '../../shared/errors.ts'
import { AGENT_TOKEN_MIN_CHARACTERS, SESSION_LIFETIME_MS } from '../../shared/limits.ts'
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
 * @throws {ApiError} 401 for a token that is missing, malformed, unknown, expired or revoked.
 * @throws {TooManyCalls} instead of it, where its client had too many refused; for a write above the rate of one user
 */
export async function requireUser(c: Context<AppEnv>): Promise<AgentUser> {
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
    throw unauthorized(c, 'This token is not approved: it is unknown, has expired, or was revoked.')
  }
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

function unauthorized(c: Context<AppEnv>, message: string): ApiError {
  const page = new URL('/agent/authorize', c.var.services.settings.PUBLIC_URL).href
  const fix = `If you are waiting for an approval, ask again in a second. Otherwise generate a new token (48 random bytes in base64url), open ${page}?challenge=<base64url of the token's SHA-256, without padding> in a signed-in browser and press Authorize.`
  return new ApiError(401, message, fix, { headers: { 'WWW-Authenticate': 'Bearer' } })
}
