import { keyOf } from '../../shared/api-key.ts'
import { ApiError } from '../../shared/errors.ts'
import { apiKeyHash } from '../accounts/api-key.ts'
import type { AccountsMirror } from '../accounts/mirror.ts'
import type { Principal } from '../accounts/state.ts'

const FIX_KEY =
  'Send a key in the header X-Api-Key, or as Authorization: Bearer <key>. POST /core/v1/new_account gives one.'

/**
 * `none`: no key is looked at; `sent_key`: one has to be sent, and may be unknown; `key`: any valid key;
 * `account_key`: the account's own, a usage key gets 403.
 */
export type Auth = 'none' | 'sent_key' | 'key' | 'account_key'

/** Who asks. @throws {ApiError} 401 for no key, and for one that resolves to no account where that matters */
export function principalFor(
  auth: Auth,
  headers: Headers,
  mirror: AccountsMirror,
): Principal | undefined {
  if (auth === 'none') return undefined
  const key = keyOf(headers)
  return auth === 'sent_key' ? found(requireKey(key), mirror) : principalOf(key, mirror)
}

/** Who a key is. @throws {ApiError} 401 for no key, or one that resolves to no account */
export function principalOf(key: string | undefined, mirror: AccountsMirror): Principal {
  const principal = found(requireKey(key), mirror)
  if (principal) return principal
  throw new ApiError(
    401,
    'The API key resolves to no account: it was mistyped, cut, revoked, or never made.',
    FIX_KEY,
    bearer,
  )
}

function requireKey(key: string | undefined): string {
  if (key === undefined) throw new ApiError(401, 'No API key was sent.', FIX_KEY, bearer)
  return key
}

function found(key: string, mirror: AccountsMirror): Principal | undefined {
  return mirror.current().principal(apiKeyHash(key))
}

const bearer = { headers: { 'www-authenticate': 'Bearer' } }
