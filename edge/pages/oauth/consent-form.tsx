import type { Context } from 'hono'
import { DAY_MS } from '../../../shared/durations.ts'
import { AGENT_TOKEN_IDLE_MS, AGENT_TOKEN_LIFETIME_MS } from '../../../shared/limits.ts'
import { OAUTH_PATHS } from '../../../shared/wire/oauth.ts'
import { Choice } from '../../browser/components/form-fields.tsx'
import type { AppEnv } from '../../http/app-env.ts'
import { authorizationPath, type AuthorizationRequest } from '../../oauth/authorization-request.ts'
import type { ClientMetadata } from '../../oauth/client-metadata.ts'
import { isLoopbackUri } from '../../oauth/redirect-uri.ts'
import { SCOPE_TEXTS } from '../agents/scope-texts.ts'
import { renderPage, signInPath } from '../layout/render-page.tsx'

type ConsentProps = {
  request: AuthorizationRequest
  client: ClientMetadata
  email: string
  csrf: string
}

export function consentPage(
  c: Context<AppEnv>,
  { request, client, email, csrf }: ConsentProps,
): Promise<Response> {
  const { redirectUri, scopes } = request
  const isLocal = isLoopbackUri(redirectUri)
  const content = (
    <>
      <p>
        <strong>
          <bdi>{client.name}</bdi>
        </strong>{' '}
        of <strong>{new URL(client.clientId).host}</strong> requests access to act as{' '}
        <strong>{email}</strong>. Any program can use any name.
      </p>
      <p class="warn">
        <strong>Only continue if you just started this yourself.</strong> If somebody sent you the
        link, refuse: authorizing it would give them access to your account.
      </p>
      <p>
        Access is given to {isLocal ? 'a program on this device' : 'the site'}:{' '}
        <strong>{new URL(redirectUri).host}</strong>
      </p>
      {isLocal && (
        <p class="warn">
          Any program on this device can pretend to be {new URL(client.clientId).host}. Continue
          only if you trust the programs that run on it.
        </p>
      )}
      <p>If you authorize it, it can access all triggers in your account and:</p>
      <ul>
        {scopes.map((scope) => (
          <li>{SCOPE_TEXTS[scope]}</li>
        ))}
      </ul>
      <p>
        Access lasts {AGENT_TOKEN_LIFETIME_MS / DAY_MS} days, and ends earlier if it is unused for{' '}
        {AGENT_TOKEN_IDLE_MS / DAY_MS} days.
      </p>
      <form method="post" action={OAUTH_PATHS.authorize} class="card">
        <input type="hidden" name="request" value={request.query} />
        <input type="hidden" name="csrf" value={csrf} />
        {scopes.length > 1 && (
          <fieldset>
            <legend>Access</legend>
            <Choice name="access" value="all" checked>
              All of the above
            </Choice>
            <Choice name="access" value="read" checked={false}>
              Read only: view triggers and their runs
            </Choice>
          </fieldset>
        )}
        <p class="actions">
          <button name="decision" value="authorize" class="armed">
            Authorize
          </button>
          <button name="decision" value="refuse" class="quiet">
            Refuse
          </button>
        </p>
      </form>
      <p class="note">
        Not your account?{' '}
        <a href={signInPath(authorizationPath(request))}>Sign in with another account</a>
      </p>
    </>
  )
  return renderPage(c, { title: 'Authorize a program', formTarget: targetOf(redirectUri) }, content)
}

/** A source expression for the redirect after the form. Such expressions cannot contain IPv6 addresses. */
function targetOf(redirectUri: string): string {
  const { origin, protocol, hostname } = new URL(redirectUri)
  return hostname.startsWith('[') ? protocol : origin
}
