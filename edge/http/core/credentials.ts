import { apiKeyIn } from '../../../shared/wire/api-key.ts'
import { ApiError } from '../../../shared/errors/api-error.ts'
import { SVC_ACTION_PATH } from '../../../shared/wire/core-routes.ts'
import { WALLET_AUTH_HEADER } from '../../../shared/wire/header-names.ts'

const BEARER = { headers: { 'www-authenticate': 'Bearer' } }
const FIX_KEY =
  'Send a key in the header X-Api-Key, or as Authorization: Bearer <key>. POST /core/v1/new_account creates one.'

export function hasCredential(headers: Headers): boolean {
  return ['authorization', 'x-api-key', WALLET_AUTH_HEADER].some((name) => headers.has(name))
}

/**
 * Returns the API key of a request. Does not validate the key's format: an admin wallet can register the hash of any
 * text with the contract, so only the origin knows which keys exist.
 * @throws {ApiError} 401 if a request to execute an action has no key; thrown here so that a large body is not read and
 *   forwarded
 */
export function keyOfRequest(request: Request, path: string): string | undefined {
  const key = apiKeyIn(request.headers)
  if (key === undefined && request.method === 'POST' && path === SVC_ACTION_PATH)
    throw new ApiError(401, 'No API key was sent.', FIX_KEY, BEARER)
  return key
}
