/** Paths of the OAuth server at the edge, and of its metadata documents (RFC 8414, RFC 9728). */
export const OAUTH_PATHS = {
  authorize: '/oauth/authorize',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
  deviceAuthorization: '/oauth/device_authorization',
  serverMetadata: '/.well-known/oauth-authorization-server',
  resourceMetadata: '/.well-known/oauth-protected-resource',
} as const

/** Page on which a person types the code of a device (RFC 8628, 3.3). */
export const DEVICE_PATH = '/device'

/** Grant type of device codes (RFC 8628, 3.4). */
export const DEVICE_GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:device_code'
