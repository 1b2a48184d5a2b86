import { keyOf } from '../../../shared/api-key.ts'
import { ApiError } from '../../../shared/errors.ts'
import { SVC_ACTION_PATH } from '../../../shared/wire/core-routes.ts'
import { WALLET_AUTH_HEADER } from '../../../shared/wire/wallet-auth.ts'

const BEARER = { headers: { 'www-authenticate': 'Bearer' } }
const FIX_KEY =
  'Send a key in the header X-Api-Key, or as Authorization: Bearer <key>. POST /core/v1/new_account gives one.'

/** Returns true if a request contains credentials, which only the origin may see. */
export function hasCredential(headers: Headers): boolean {
  return ['authorization', 'x-api-key', WALLET_AUTH_HEADER].some((name) => headers.has(name))
}

/**
 * Returns the API key of a request, for rate limiting. Does not validate it, because only the origin knows which keys
 * exist: an admin wallet may register the hash of any text with the contract.
 * @throws {ApiError} 401 for an execution without a key, before several megabytes of body are read and forwarded
 */
export function keyOfRequest(request: Request, path: string): string | undefined {
  const key = keyOf(request.headers)
  if (key === undefined && request.method === 'POST' && path === SVC_ACTION_PATH)
    throw new ApiError(401, 'No API key was sent.', FIX_KEY, BEARER)
  return key
}
