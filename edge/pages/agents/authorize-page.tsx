/** Page on which a person authorizes a program (docs/decisions/0049). */
import type { Context } from 'hono'
import { parseCrockfordCode } from '../../../shared/encoding/crockford-code.ts'
import { labelSchema, type Scope, SCOPES } from '../../../shared/wire/agent.ts'
import {
  type AuthorizationRequest,
  refuseRequest,
  findAgentRequest,
} from '../../identity/agent-requests.ts'
import { approveAgentToken } from '../../identity/agent-tokens.ts'
import { notifyOfApproval } from '../../identity/notices.ts'
import { approveRequest, findFinalState } from '../../identity/request-approval.ts'
import { decode32Bytes } from '../../identity/secret.ts'
import type { Session } from '../../identity/sessions.ts'
import { approvalCsrfSubject, approvalProps } from './approval-props.ts'
import { OUTCOMES } from './authorize-outcomes.ts'
import { plainLinkPage, registeredRequestPage } from './authorize-forms.tsx'
import type { App, AppEnv } from '../../http/app-env.ts'
import { currentSession } from '../../http/authenticate.ts'
import { authorizePath } from '../../identity/authorize-path.ts'
import { readSameOriginForm } from '../requests/same-origin-form.ts'
import { rejectStaleForm } from '../requests/session-form.ts'
import { noticePage, seeOther, signInPath } from '../layout/render-page.tsx'

export function registerAgentAuthorize(app: App): void {
  app.get('/agent/authorize', (c) => showAuthorizePage(c))
  app.post('/agent/authorize', (c) => submitDecision(c))
}

type PendingAuthorization = { challenge: string; session: Session }

/** Must not change any state, because scanners and link previews also open links. */
async function showAuthorizePage(c: Context<AppEnv>): Promise<Response> {
  const challenge = c.req.query('challenge') ?? ''
  if (!decode32Bytes(challenge)) return badChallengePage(c)
  const session = await currentSession(c)
  if (!session) return seeOther(c, signInPath(authorizePath(challenge)))
  const pending = { challenge, session }
  const request = await findAgentRequest(c.var.services, challenge)
  if (!request) return plainLinkPage(c, await approvalProps(pending))
  if (request.state !== 'open') return endedPage(c, pending)
  return registeredRequestPage(c, request, await approvalProps(pending))
}

async function submitDecision(c: Context<AppEnv>): Promise<Response> {
  const form = await readSameOriginForm(c)
  if (form instanceof Response) return form
  const challenge = form.get('challenge') ?? ''
  if (!decode32Bytes(challenge)) return badChallengePage(c)
  const session = await currentSession(c)
  if (!session) return seeOther(c, signInPath(authorizePath(challenge)))
  const stale = await rejectStaleForm(c, { session, form }, approvalCsrfSubject(challenge), {
    text: 'Nothing was granted. You may have signed in again, or with another account, since it was opened.',
    link: { href: authorizePath(challenge), text: 'Open the request again' },
  })
  if (stale) return stale
  const pending = { challenge, session }
  const request = await findAgentRequest(c.var.services, challenge)
  if (request && request.state !== 'open') return endedPage(c, pending)
  const decision = form.get('decision')
  if (decision === 'refuse') return refuse(c, pending, request)
  if (decision !== 'authorize') return noDecisionPage(c, challenge)
  await c.var.services.requireRate('agent_approval', session.user.id)
  return request
    ? authorizeRegisteredRequest(c, pending, request, form)
    : authorizePlainLink(c, pending, form)
}

async function authorizePlainLink(
  c: Context<AppEnv>,
  pending: PendingAuthorization,
  form: URLSearchParams,
): Promise<Response> {
  const { challenge, session } = pending
  const access = form.get('access') ?? 'all'
  const scopes = ACCESS.get(access)
  if (!scopes) return noDecisionPage(c, challenge)
  const name = form.get('name') ?? ''
  const label = name.trim() === '' ? null : labelSchema.safeParse(name)
  if (label?.success === false) {
    const problem = `Choose another name: ${label.error.issues[0]?.message}.`
    return plainLinkPage(c, { ...(await approvalProps(pending)), problem, name, access })
  }
  const approval = { challenge, userId: session.user.id, label: label?.data ?? null, scopes }
  const outcome = await approveAgentToken(c.var.services, approval)
  // The agent registered a request after this page was opened, so the person must now enter the code.
  if (outcome === 'registered') return seeOther(c, authorizePath(challenge))
  if (outcome === 'granted') notifyOfApproval(c.var.services, { user: session.user, ...approval })
  return noticePage(c, OUTCOMES[outcome])
}

async function authorizeRegisteredRequest(
  c: Context<AppEnv>,
  pending: PendingAuthorization,
  request: AuthorizationRequest,
  form: URLSearchParams,
): Promise<Response> {
  const showAgain = async (problem: string) =>
    registeredRequestPage(c, request, { ...(await approvalProps(pending)), problem })
  const code = parseCrockfordCode(form.get('user_code') ?? '')
  // A malformed code does not count as an attempt.
  if (code === undefined)
    return showAgain('The code has eight letters and digits. Enter it as shown by your program.')
  const approval = { code, userId: pending.session.user.id }
  const outcome = await approveRequest(c.var.services, request, approval)
  if (typeof outcome === 'object') return showAgain(wrongCode(outcome.attemptsLeft))
  if (outcome === 'granted')
    notifyOfApproval(c.var.services, { user: pending.session.user, ...request })
  return noticePage(c, OUTCOMES[outcome])
}

function wrongCode(attemptsLeft: number): string {
  const left = attemptsLeft === 1 ? '1 attempt left' : `${attemptsLeft} attempts left`
  return `Wrong code for this request; ${left}.`
}

async function refuse(
  c: Context<AppEnv>,
  pending: PendingAuthorization,
  request: AuthorizationRequest | undefined,
): Promise<Response> {
  if (request && !(await refuseRequest(c.var.services, request.id))) return endedPage(c, pending)
  return noticePage(c, {
    title: 'Refused',
    text: request
      ? 'Nothing was granted, and this request can no longer be approved. You can close this page.'
      : 'Nothing was granted. You can close this page.',
  })
}

async function endedPage(
  c: Context<AppEnv>,
  { challenge, session }: PendingAuthorization,
): Promise<Response> {
  return noticePage(c, OUTCOMES[await findFinalState(c.var.services, challenge, session.user.id)])
}

const ACCESS = new Map<string, readonly Scope[]>([
  ['all', SCOPES],
  ['read', ['triggers:read']],
])

function noDecisionPage(c: Context<AppEnv>, challenge: string): Promise<Response> {
  return noticePage(c, {
    status: 400,
    title: 'No decision was made',
    text: 'Nothing was granted. Choose Authorize or Refuse.',
    link: { href: authorizePath(challenge), text: 'Open the request again' },
  })
}

function badChallengePage(c: Context<AppEnv>): Promise<Response> {
  return noticePage(c, {
    status: 400,
    title: 'Incomplete link',
    text: 'The challenge must be the base64url-encoded SHA-256 of the token, without padding: exactly 43 characters. Copy the whole link that your program printed.',
  })
}
