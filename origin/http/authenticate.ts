import { ApiError } from '../../shared/errors.ts'
import { apiKeyHash } from '../accounts/api-key.ts'
import type { AccountsMirror } from '../accounts/mirror.ts'
import type { Principal } from '../accounts/state.ts'

const FIX_KEY =
  'Send a key in the header X-Api-Key, or as Authorization: Bearer <key>. POST /core/v1/new_account gives one.'

/** The key of a request. `Authorization: Bearer` wins over `X-Api-Key` (`decisions.md`, API keys). */
export function keyOf(headers: Headers): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  const key = bearer ?? headers.get('x-api-key')?.trim()
  return key === '' ? undefined : key
}

/** Who a key is. @throws {ApiError} 401 for no key, or one that resolves to no account */
export function authenticate(headers: Headers, mirror: AccountsMirror): Principal {
  return principalOf(keyOf(headers), mirror)
}

export function principalOf(key: string | undefined, mirror: AccountsMirror): Principal {
  if (key === undefined) throw new ApiError(401, 'No API key was sent.', FIX_KEY, bearer)
  const principal = mirror.current().principal(apiKeyHash(key))
  if (principal) return principal
  throw new ApiError(
    401,
    'The API key resolves to no account: it was mistyped, cut, revoked, or never made.',
    FIX_KEY,
    bearer,
  )
}

const bearer = { headers: { 'www-authenticate': 'Bearer' } }

/** @throws {ApiError} 403 for a usage key */
export function requireAccountKey(principal: Principal): void {
  if (!principal.usageKey) return
  throw new ApiError(
    403,
    'This is a usage key; the operation needs the account key.',
    'Repeat the request with the key that new_account returned.',
  )
}
