/** Page on which a person authorizes an OAuth client (docs/decisions/0144). */
import type { Context } from 'hono'
import { ENVIRONMENTS } from '../../../shared/config/environments.ts'
import { type Scope, scopesOf } from '../../../shared/wire/agent.ts'
import { OAUTH_PATHS } from '../../../shared/wire/oauth.ts'
import type { App, AppEnv } from '../../http/app-env.ts'
import { currentSession } from '../../http/authenticate.ts'
import { csrfToken } from '../../identity/csrf.ts'
import { safeNext } from '../../identity/next-path.ts'
import { notifyOfApproval } from '../../identity/notices.ts'
import { hashSecret } from '../../identity/secret.ts'
import type { Session } from '../../identity/sessions.ts'
import {
  authorizationPath,
  type AuthorizationRequest,
  parseAuthorizationRequest,
  responseUrl,
} from '../../oauth/authorization-request.ts'
import { ClientCache } from '../../oauth/client-cache.ts'
import { type ClientMetadata, fetchClientMetadata } from '../../oauth/client-metadata.ts'
import { approveGrant } from '../../oauth/grants.ts'
import { OAuthError } from '../../oauth/oauth-error.ts'
import { isRegistered } from '../../oauth/redirect-uri.ts'
import { issuerOf } from '../../oauth/server-urls.ts'
import { setPageHeaders } from '../layout/content-security-policy.ts'
import { noticePage, seeOther, signInPath } from '../layout/render-page.tsx'
import { readSameOriginForm } from '../requests/same-origin-form.ts'
import { rejectStaleForm } from '../requests/session-form.ts'
import { consentPage } from './consent-form.tsx'

type Clients = { cache: ClientCache; fetch: typeof fetch }

/** @param fetch fetches the documents of clients */
export function registerOAuthAuthorize(app: App, fetch: Clients['fetch']): void {
  const clients = { cache: new ClientCache(), fetch }
  app.get(OAUTH_PATHS.authorize, (c) =>
    showingErrors(c, () => showConsentPage(c, clients, new URL(c.req.url).searchParams)),
  )
  app.post(OAUTH_PATHS.authorize, async (c) => {
    const form = await readSameOriginForm(c)
    return form instanceof Response ? form : showingErrors(c, () => decide(c, clients, form))
  })
}

/** Must not change any state, because another site can open the page. */
async function showConsentPage(
  c: Context<AppEnv>,
  clients: Clients,
  query: URLSearchParams,
): Promise<Response> {
  const request = parseAuthorizationRequest(query, rulesOf(c))
  const session = await currentSession(c)
  if (!session) return toSignIn(c, request)
  const client = await requireClient(c, clients, request, session)
  const csrf = await csrfToken(session.secret, await csrfSubject(request))
  return consentPage(c, { request, client, email: session.user.email, csrf })
}

async function decide(
  c: Context<AppEnv>,
  clients: Clients,
  form: URLSearchParams,
): Promise<Response> {
  const request = parseAuthorizationRequest(
    new URLSearchParams(form.get('request') ?? ''),
    rulesOf(c),
  )
  const session = await currentSession(c)
  if (!session) return toSignIn(c, request)
  const stale = await rejectStaleForm(c, { session, form }, await csrfSubject(request), {
    text: 'Nothing was granted. You may have signed in again, or with another account, since it was opened.',
    link: { href: authorizationPath(request), text: 'Open the request again' },
  })
  if (stale) return stale
  const client = await requireClient(c, clients, request, session)
  const decision = form.get('decision')
  if (decision === 'refuse') return toClient(c, request, { error: 'access_denied' })
  const scopes = grantedScopes(request, form.get('access'))
  if (decision !== 'authorize' || scopes.length === 0)
    return noticePage(c, {
      status: 400,
      title: 'No decision was made',
      text: 'Nothing was granted. Choose Authorize or Refuse.',
      link: { href: authorizationPath(request), text: 'Open the request again' },
    })
  const { services } = c.var
  await services.requireRate('agent_approval', session.user.id)
  const userId = session.user.id
  const code = await approveGrant(services, { request, clientName: client.name, userId, scopes })
  notifyOfApproval(services, { user: session.user, label: client.name, scopes })
  return toClient(c, request, { code })
}

function rulesOf(c: Context<AppEnv>) {
  const { PUBLIC_URL: publicUrl, SVC_ENV } = c.var.services.settings
  return { publicUrl, allowLoopback: !ENVIRONMENTS[SVC_ENV].isPublic }
}

/**
 * The document is fetched only for a signed-in person, so that others cannot make the service send requests.
 * @throws {OAuthError} if the document cannot be used, or does not contain the redirect URI
 */
async function requireClient(
  c: Context<AppEnv>,
  clients: Clients,
  { clientId, redirectUri }: AuthorizationRequest,
  { user }: Session,
): Promise<ClientMetadata> {
  const { now, requireRate } = c.var.services
  const { allowLoopback } = rulesOf(c)
  const client = await clients.cache.get(clientId, now(), async () => {
    await requireRate('oauth_client', user.id)
    return fetchClientMetadata(clientId, { fetch: clients.fetch, allowLoopback })
  })
  if (isRegistered(redirectUri, client.redirectUris)) return client
  throw new OAuthError(
    'invalid_request',
    'redirect_uri: the client’s metadata document does not contain it',
  )
}

/** A person can grant less than the client requests. */
function grantedScopes({ scopes }: AuthorizationRequest, access: string | null): Scope[] {
  return access === 'read' ? scopesOf(scopes).filter((one) => one === 'triggers:read') : scopes
}

/** Each subject contains the whole request, so that a CSRF token cannot approve another one. */
async function csrfSubject({ query }: AuthorizationRequest): Promise<string> {
  return `oauth-authorize/${await hashSecret(query)}`
}

function toSignIn(c: Context<AppEnv>, request: AuthorizationRequest): Response | Promise<Response> {
  const path = authorizationPath(request)
  if (safeNext(path) === path) return seeOther(c, signInPath(path))
  return noticePage(c, {
    title: 'Sign in first',
    text: 'This request is too long to continue after sign-in. Sign in, and start it again in your program.',
    link: { href: '/sign-in', text: 'Sign in' },
  })
}

function toClient(
  c: Context<AppEnv>,
  request: AuthorizationRequest,
  outcome: { code: string } | { error: 'access_denied' },
): Response {
  setPageHeaders(c)
  const issuer = issuerOf(c.var.services.settings.PUBLIC_URL)
  return c.redirect(responseUrl(request, issuer, outcome), 303)
}

/**
 * Invalid requests are shown to the person, and not returned to the client: otherwise, a link to this site could lead to
 * any site without a decision (RFC 9700, 4.11.2).
 */
async function showingErrors(
  c: Context<AppEnv>,
  respond: () => Promise<Response>,
): Promise<Response> {
  try {
    return await respond()
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    return noticePage(c, {
      status: 400,
      title: 'Invalid authorization request',
      text: `Nothing was granted. Your program sent an invalid request (${error.code}): ${error.message}.`,
    })
  }
}
