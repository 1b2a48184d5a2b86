/** Creates a device code and a user code (RFC 8628, 3.1). */
import { ENVIRONMENTS } from '../../../shared/config/environments.ts'
import { AGENT_REQUEST_LIFETIME_MS, DEVICE_POLL_INTERVAL_MS } from '../../../shared/limits.ts'
import { clientNetwork } from '../../../shared/network/client-network.ts'
import { LABEL_MAX_CHARACTERS } from '../../../shared/wire/agent.ts'
import { DEVICE_PATH, OAUTH_PATHS } from '../../../shared/wire/oauth.ts'
import { authorizePath } from '../../identity/authorize-path.ts'
import { requestedScopes } from '../../oauth/authorization-request.ts'
import { parseClientId } from '../../oauth/client-id.ts'
import { requestDeviceCode } from '../../oauth/device-codes.ts'
import { OAuthError } from '../../oauth/oauth-error.ts'
import { parameter } from '../../oauth/parameters.ts'
import { issuerOf, requireResource } from '../../oauth/server-urls.ts'
import type { App } from '../app-env.ts'
import { clientAddress } from '../client-address.ts'
import { handleOAuthForm } from './oauth-form.ts'

export function registerOAuthDeviceAuthorization(app: App): void {
  app.post(OAUTH_PATHS.deviceAuthorization, (c) =>
    handleOAuthForm(c, async ({ form, clientId }) => {
      const { services } = c.var
      const { PUBLIC_URL, SVC_ENV } = services.settings
      const allowLoopback = !ENVIRONMENTS[SVC_ENV].isPublic
      const label = labelOf(parseClientId(clientId, { allowLoopback }))
      requireResource(parameter(form, 'resource'), PUBLIC_URL)
      const scopes = requestedScopes(form)
      const network = clientNetwork(clientAddress(c.req.raw, services.settings))
      await services.requireRate('agent_request_address', network)
      const created = await requestDeviceCode(services, { clientId, label, scopes })
      const issuer = issuerOf(PUBLIC_URL)
      return c.json({
        device_code: created.deviceCode,
        user_code: created.userCode,
        verification_uri: issuer + DEVICE_PATH,
        verification_uri_complete: issuer + authorizePath(created.challenge),
        expires_in: AGENT_REQUEST_LIFETIME_MS / 1000,
        interval: DEVICE_POLL_INTERVAL_MS / 1000,
      })
    }),
  )
}

/**
 * Returns the name to show to the person: the host. The client's document is not fetched, because without a redirect URI
 * nothing proves that the request comes from the client (docs/decisions/0147).
 */
function labelOf({ host }: URL): string {
  if (host.length <= LABEL_MAX_CHARACTERS) return host
  // A truncated host would look like another one.
  throw new OAuthError(
    'invalid_client',
    `client_id: expected a host of at most ${LABEL_MAX_CHARACTERS} characters`,
  )
}
