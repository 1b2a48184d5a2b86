import { scopesOf } from '../../../shared/wire/agent.ts'
import { DEVICE_GRANT_TYPE, OAUTH_PATHS } from '../../../shared/wire/oauth.ts'
import { exchangeDeviceCode } from '../../oauth/device-tokens.ts'
import { exchangeCode, type IssuedTokens, refreshTokens } from '../../oauth/grant-tokens.ts'
import { OAuthError } from '../../oauth/oauth-error.ts'
import { parameter, requiredParameter } from '../../oauth/parameters.ts'
import { requireResource } from '../../oauth/server-urls.ts'
import type { App, Services } from '../app-env.ts'
import { handleOAuthForm } from './oauth-form.ts'

export function registerOAuthToken(app: App): void {
  app.post(OAUTH_PATHS.token, (c) =>
    handleOAuthForm(c, async ({ form, clientId }) => {
      const { services } = c.var
      requireResource(parameter(form, 'resource'), services.settings.PUBLIC_URL)
      return c.json(toResponse(await issue(services, form, clientId)))
    }),
  )
}

function issue(services: Services, form: URLSearchParams, clientId: string): Promise<IssuedTokens> {
  const grantType = requiredParameter(form, 'grant_type')
  if (grantType === 'authorization_code')
    return exchangeCode(services, {
      clientId,
      code: requiredParameter(form, 'code'),
      redirectUri: parameter(form, 'redirect_uri'),
      codeVerifier: requiredParameter(form, 'code_verifier'),
    })
  if (grantType === 'refresh_token')
    return refreshTokens(services, {
      clientId,
      refreshToken: requiredParameter(form, 'refresh_token'),
      scopes: requestedScopes(form),
    })
  if (grantType === DEVICE_GRANT_TYPE)
    return exchangeDeviceCode(services, {
      clientId,
      deviceCode: requiredParameter(form, 'device_code'),
    })
  throw new OAuthError(
    'unsupported_grant_type',
    `grant_type: expected authorization_code, refresh_token or ${DEVICE_GRANT_TYPE}`,
  )
}

function requestedScopes(form: URLSearchParams) {
  const scope = parameter(form, 'scope')
  return scope === undefined ? [] : scopesOf(scope)
}

const toResponse = ({ accessToken, refreshToken, expiresInS, scopes }: IssuedTokens) => ({
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: expiresInS,
  refresh_token: refreshToken,
  scope: scopes.join(' '),
})
