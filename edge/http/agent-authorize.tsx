/** A person authorizes a program (docs/decisions/0049). */
import type { Context } from 'hono'
import { readCrockfordCode } from '../../shared/crockford-code.ts'
import { labelSchema, type Scope, SCOPES } from '../../shared/wire/agent.ts'
import { type AgentRequest, refuseRequest, requestOf } from '../identity/agent-requests.ts'
import { approveAgentToken } from '../identity/agent-tokens.ts'
import { csrfToken, isCsrfToken } from '../identity/csrf.ts'
import { noticeOfApproval } from '../identity/notices.ts'
import { approveRequest, howItEnded } from '../identity/request-approval.ts'
import { decode32Bytes } from '../identity/secret.ts'
import type { Session } from '../identity/sessions.ts'
import { OUTCOMES } from './agent-authorize-outcomes.ts'
import { plainPage, requestPage } from './agent-authorize-pages.tsx'
import type { App, AppEnv } from './app-env.ts'
import { signedIn } from './authenticate.ts'
import { authorizePath } from './authorize-path.ts'
import { readOwnForm } from './form.ts'
import { notice, seeOther, signInPath } from './page.tsx'

export function registerAgentAuthorize(app: App): void {
  app.get('/agent/authorize', (c) => show(c))
  app.post('/agent/authorize', (c) => decide(c))
}

type Asked = { challenge: string; session: Session }

/** Must not change any state, because scanners and link previews also open links. */
async function show(c: Context<AppEnv>): Promise<Response> {
  const challenge = c.req.query('challenge') ?? ''
  if (!decode32Bytes(challenge)) return badChallenge(c)
  const session = await signedIn(c)
  if (!session) return seeOther(c, signInPath(authorizePath(challenge)))
  const asked = { challenge, session }
  const request = await requestOf(c.var.services, challenge)
  if (!request) return plainPage(c, await facts(asked))
  if (request.state !== 'open') return ended(c, asked)
  return requestPage(c, request, await facts(asked))
}

async function decide(c: Context<AppEnv>): Promise<Response> {
  const form = await readOwnForm(c)
  if (form instanceof Response) return form
  const challenge = form.get('challenge') ?? ''
  if (!decode32Bytes(challenge)) return badChallenge(c)
  const session = await signedIn(c)
  if (!session) return seeOther(c, signInPath(authorizePath(challenge)))
  if (!(await isCsrfToken(form.get('csrf') ?? '', session.secret, csrfSubject(challenge)))) {
    return notice(c, {
      status: 403,
      title: 'This page is out of date',
      text: 'Nothing was granted. You may have signed in again, or with another account, since it was opened.',
      link: { href: authorizePath(challenge), text: 'Open the request again' },
    })
  }
  const asked = { challenge, session }
  const request = await requestOf(c.var.services, challenge)
  if (request && request.state !== 'open') return ended(c, asked)
  const decision = form.get('decision')
  if (decision === 'refuse') return refuse(c, asked, request)
  if (decision !== 'authorize') return noDecision(c, challenge)
  await c.var.services.requireRate('agent_approval', session.user.id)
  return request ? authorizeRequest(c, asked, request, form) : authorizePlain(c, asked, form)
}

/** The name and the access are optional. */
async function authorizePlain(
  c: Context<AppEnv>,
  asked: Asked,
  form: URLSearchParams,
): Promise<Response> {
  const { challenge, session } = asked
  const access = form.get('access') ?? 'all'
  const scopes = ACCESS.get(access)
  if (!scopes) return noDecision(c, challenge)
  const name = form.get('name') ?? ''
  const label = name.trim() === '' ? null : labelSchema.safeParse(name)
  if (label?.success === false) {
    const problem = `Choose another name: ${label.error.issues[0]?.message}.`
    return plainPage(c, { ...(await facts(asked)), problem, name, access })
  }
  const approval = { challenge, userId: session.user.id, label: label?.data ?? null, scopes }
  const outcome = await approveAgentToken(c.var.services, approval)
  // Registered after this page was opened, so the person must now enter the code.
  if (outcome === 'registered') return seeOther(c, authorizePath(challenge))
  if (outcome === 'granted') tellOwner(c, session, approval)
  return notice(c, OUTCOMES[outcome])
}

async function authorizeRequest(
  c: Context<AppEnv>,
  asked: Asked,
  request: AgentRequest,
  form: URLSearchParams,
): Promise<Response> {
  const again = async (problem: string) =>
    requestPage(c, request, { ...(await facts(asked)), problem })
  const code = readCrockfordCode(form.get('user_code') ?? '')
  // A malformed code does not count as an attempt.
  if (code === undefined)
    return again('The code has eight letters and digits. Enter it as shown by your program.')
  const approval = { code, userId: asked.session.user.id }
  const outcome = await approveRequest(c.var.services, request, approval)
  if (typeof outcome === 'object') return again(wrongCode(outcome.attemptsLeft))
  if (outcome === 'granted') tellOwner(c, asked.session, request)
  return notice(c, OUTCOMES[outcome])
}

/** Mails the account owner, so that a stolen session cannot approve a token unnoticed. */
function tellOwner(
  c: Context<AppEnv>,
  { user }: Session,
  { label, scopes }: { label: string | null; scopes: readonly Scope[] },
): void {
  noticeOfApproval(c.var.services, { user, label, scopes })
}

function wrongCode(attemptsLeft: number): string {
  const left = attemptsLeft === 1 ? '1 attempt left' : `${attemptsLeft} attempts left`
  return `Wrong code for this request; ${left}.`
}

async function refuse(
  c: Context<AppEnv>,
  asked: Asked,
  request: AgentRequest | undefined,
): Promise<Response> {
  if (request && !(await refuseRequest(c.var.services, request.id))) return ended(c, asked)
  return notice(c, {
    title: 'Refused',
    text: request
      ? 'Nothing was granted, and this request can no longer be approved. You can close this page.'
      : 'Nothing was granted. You can close this page.',
  })
}

/** For a request that is no longer open. */
async function ended(c: Context<AppEnv>, { challenge, session }: Asked): Promise<Response> {
  return notice(c, OUTCOMES[await howItEnded(c.var.services, challenge, session.user.id)])
}

/** Choices on the page for plain links. The default is `all`. */
const ACCESS = new Map<string, readonly Scope[]>([
  ['all', SCOPES],
  ['read', ['triggers:read']],
])

function noDecision(c: Context<AppEnv>, challenge: string): Promise<Response> {
  return notice(c, {
    status: 400,
    title: 'No decision was made',
    text: 'Nothing was granted. Choose Authorize or Refuse.',
    link: { href: authorizePath(challenge), text: 'Open the request again' },
  })
}

function badChallenge(c: Context<AppEnv>): Promise<Response> {
  return notice(c, {
    status: 400,
    title: 'Incomplete link',
    text: 'The challenge must be the base64url-encoded SHA-256 of the token, without padding: exactly 43 characters. Copy the whole link that your program printed.',
  })
}

async function facts({ challenge, session }: Asked) {
  const csrf = await csrfToken(session.secret, csrfSubject(challenge))
  return { challenge, email: session.user.email, csrf }
}

/** Bound to one challenge, so that a CSRF token cannot approve another request. */
function csrfSubject(challenge: string): string {
  return `agent-authorize/${challenge}`
}
