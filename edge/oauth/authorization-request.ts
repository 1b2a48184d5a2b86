import { decodeBase64url } from '../../shared/encoding/base64url.ts'
import { type Scope, SCOPES, scopesOf } from '../../shared/wire/agent.ts'
import { OAUTH_PATHS } from '../../shared/wire/oauth.ts'
import { parseClientId } from './client-id.ts'
import { OAuthError } from './oauth-error.ts'
import { parameter, requiredParameter } from './parameters.ts'
import { isRedirectUri } from './redirect-uri.ts'
import { requireResource } from './server-urls.ts'

export type AuthorizationRequest = {
  clientId: string
  redirectUri: string
  codeChallenge: string
  scopes: Scope[]
  state: string | undefined
  /** Query with only the known parameters, in a fixed order. */
  query: string
}

type Rules = { publicUrl: string; allowLoopback: boolean }

const STATE_MAX_CHARACTERS = 1024

/**
 * Validates everything that can be validated without the client's document.
 * @throws {OAuthError}
 */
export function parseAuthorizationRequest(
  given: URLSearchParams,
  { publicUrl, allowLoopback }: Rules,
): AuthorizationRequest {
  const clientId = requiredParameter(given, 'client_id')
  parseClientId(clientId, { allowLoopback })
  const redirectUri = requiredParameter(given, 'redirect_uri')
  if (!isRedirectUri(redirectUri))
    throw new OAuthError(
      'invalid_request',
      'redirect_uri: expected https, or http to a loopback address',
    )
  if (requiredParameter(given, 'response_type') !== 'code')
    throw new OAuthError('unsupported_response_type', 'response_type: expected code')
  const codeChallenge = requiredParameter(given, 'code_challenge')
  if (codeChallenge.length !== 43 || decodeBase64url(codeChallenge)?.length !== 32)
    throw new OAuthError('invalid_request', 'code_challenge: expected a SHA-256 in base64url')
  // The default of RFC 7636 is `plain`, which protects nothing.
  if (parameter(given, 'code_challenge_method') !== 'S256')
    throw new OAuthError('invalid_request', 'code_challenge_method: expected S256')
  const resource = parameter(given, 'resource')
  requireResource(resource, publicUrl)
  const scopes = requestedScopes(given)
  const state = parameter(given, 'state')
  if (state !== undefined && state.length > STATE_MAX_CHARACTERS)
    throw new OAuthError(
      'invalid_request',
      `state: expected at most ${STATE_MAX_CHARACTERS} characters`,
    )
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
    scope: scopes.join(' '),
    ...(resource !== undefined && { resource }),
    ...(state !== undefined && { state }),
  })
  return { clientId, redirectUri, codeChallenge, scopes, state, query: query.toString() }
}

/**
 * Returns the scopes to approve: the known ones, or all of them if the client names none.
 * @throws {OAuthError} `invalid_scope`
 */
export function requestedScopes(given: URLSearchParams): Scope[] {
  const scope = parameter(given, 'scope')
  const scopes = scope === undefined ? [...SCOPES] : scopesOf(scope)
  if (scopes.length > 0) return scopes
  throw new OAuthError('invalid_scope', `scope: expected one of ${SCOPES.join(', ')}`)
}

export const authorizationPath = ({ query }: AuthorizationRequest): string =>
  `${OAUTH_PATHS.authorize}?${query}`

/**
 * Returns the URL that ends the authorization at the client, with the issuer against mix-up (RFC 9207).
 * @param outcome `code`, or `error`
 */
export function responseUrl(
  { redirectUri, state }: AuthorizationRequest,
  issuer: string,
  outcome: Record<string, string>,
): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(outcome)) url.searchParams.append(name, value)
  if (state !== undefined) url.searchParams.append('state', state)
  url.searchParams.append('iss', issuer)
  return url.href
}
