import { isApiKeyShape, keyOf } from '../../../shared/api-key.ts'
import { ApiError } from '../../../shared/errors.ts'
import { OPERATIONS_WITH_KEY, SVC_ACTION_PATH } from '../../../shared/wire/core-routes.ts'
import { WALLET_AUTH_HEADER } from '../../../shared/wire/wallet-auth.ts'

const BEARER = { headers: { 'www-authenticate': 'Bearer' } }
const FIX_KEY =
  'Send a key in the header X-Api-Key, or as Authorization: Bearer <key>. POST /core/v1/new_account gives one.'

/** Whether a request carries what nobody between the edge and the origin may see. */
export function hasCredential(headers: Headers): boolean {
  return ['authorization', 'x-api-key', WALLET_AUTH_HEADER].some((name) => headers.has(name))
}

/**
 * The key of a request, where it has one that can be a key.
 * @throws {ApiError} 401 for what can not be one, at the operations that need one, and for a source that comes without
 */
export function requireKeyShape(request: Request, path: string): string | undefined {
  const key = keyOf(request.headers)
  if (!OPERATIONS_WITH_KEY.has(`${request.method} ${path}`)) return undefined
  if (key !== undefined && !isApiKeyShape(key))
    throw new ApiError(
      401,
      'The API key resolves to no account: it was mistyped, cut, revoked, or never made.',
      FIX_KEY,
      BEARER,
    )
  // Its body may have megabytes, which would be read and sent for a 401.
  if (key === undefined && path === SVC_ACTION_PATH)
    throw new ApiError(401, 'No API key was sent.', FIX_KEY, BEARER)
  return key
}
