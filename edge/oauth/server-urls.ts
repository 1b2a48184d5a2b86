import { MCP_PATH } from '../../shared/wire/mcp.ts'
import { OAUTH_PATHS } from '../../shared/wire/oauth.ts'
import { OAuthError } from './oauth-error.ts'

/** Issuer identifier (RFC 8414, section 2). */
export const issuerOf = (publicUrl: string): string => new URL(publicUrl).origin

/** The only resource for which tokens are issued (RFC 8707). */
export const resourceOf = (publicUrl: string): string => issuerOf(publicUrl) + MCP_PATH

/** URL of the metadata of the resource. The well-known part precedes the path (RFC 9728, 3.1). */
export const resourceMetadataUrlOf = (publicUrl: string): string =>
  issuerOf(publicUrl) + OAUTH_PATHS.resourceMetadata + MCP_PATH

/**
 * A missing resource means the only one.
 * @throws {OAuthError} `invalid_target` for another resource
 */
export function requireResource(resource: string | undefined, publicUrl: string): void {
  // Parsing lowercases scheme and host, which clients may send in upper case.
  if (resource === undefined || URL.parse(resource)?.href === resourceOf(publicUrl)) return
  throw new OAuthError('invalid_target', `resource: expected ${resourceOf(publicUrl)}`)
}
