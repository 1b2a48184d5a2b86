/** Metadata of the OAuth server (RFC 8414) and of the MCP server as its resource (RFC 9728). */
import { SCOPES } from '../../../shared/wire/agent.ts'
import { MCP_PATH } from '../../../shared/wire/mcp.ts'
import { DEVICE_GRANT_TYPE, OAUTH_PATHS } from '../../../shared/wire/oauth.ts'
import { issuerOf, resourceOf } from '../../oauth/server-urls.ts'
import type { App } from '../app-env.ts'

const HEADERS = { 'cache-control': 'public, max-age=3600', 'access-control-allow-origin': '*' }

export function registerOAuthMetadata(app: App): void {
  app.get(OAUTH_PATHS.serverMetadata, (c) =>
    c.json(serverMetadata(c.var.services.settings.PUBLIC_URL), 200, HEADERS),
  )
  // Clients first request the path of the resource, and then the root.
  for (const path of [OAUTH_PATHS.resourceMetadata + MCP_PATH, OAUTH_PATHS.resourceMetadata])
    app.get(path, (c) => c.json(resourceMetadata(c.var.services.settings.PUBLIC_URL), 200, HEADERS))
}

function serverMetadata(publicUrl: string) {
  const issuer = issuerOf(publicUrl)
  return {
    issuer,
    authorization_endpoint: issuer + OAUTH_PATHS.authorize,
    token_endpoint: issuer + OAUTH_PATHS.token,
    device_authorization_endpoint: issuer + OAUTH_PATHS.deviceAuthorization,
    revocation_endpoint: issuer + OAUTH_PATHS.revoke,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', DEVICE_GRANT_TYPE],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: SCOPES,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    service_documentation: `${issuer}/docs/remote-mcp`,
  }
}

function resourceMetadata(publicUrl: string) {
  const issuer = issuerOf(publicUrl)
  return {
    resource: resourceOf(publicUrl),
    authorization_servers: [issuer],
    scopes_supported: SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'svc triggers',
    resource_documentation: `${issuer}/docs/remote-mcp`,
  }
}
