import { apiKeyHash } from '../../shared/crypto/keccak.ts'
import { MODE_PSK } from '../../shared/envelope/format.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import { withoutUndefined } from '../../shared/json/without-undefined.ts'
import type { StoredUsageKey } from '../../shared/wire/sealed.ts'
import {
  type KeyState,
  type KeyStatesRequest,
  keyStatesRequestSchema,
  type KeyStatesResponse,
  SEALED_KEY_STATES_PATH,
} from '../../shared/wire/sealed-key-states.ts'
import type { Principal } from '../accounts/account.ts'
import { EnvelopeError } from '../channel/open-request.ts'
import type { OriginServices } from '../services.ts'
import type { SealedOperation } from './sealed.ts'

/** Replayed requests are allowed, because the operation changes nothing. */
export const sealedKeyStatesOperation: SealedOperation<KeyStatesRequest> = {
  path: SEALED_KEY_STATES_PATH,
  schema: keyStatesRequestSchema,
  isOfEdge: true,
  handle: async ({ stored, balances = false }, mode, services): Promise<KeyStatesResponse> => {
    if (mode !== MODE_PSK)
      throw new ApiError(
        403,
        'Only the edge can read the state of stored keys.',
        'Send GET /core/v1/list_api_keys with the account key.',
      )
    services.load.requireRoom()
    const principals = stored.map((one) => principalOf(one, services))
    const accounts = new Set(principals.flatMap((principal) => principal?.account.hash ?? []))
    const cents = balances ? await services.credits.storedBalances([...accounts]) : undefined
    return { state: 'known', keys: principals.map((one) => stateOf(one, cents, services)) }
  },
}

function principalOf(stored: StoredUsageKey, services: OriginServices): Principal | undefined {
  const key = openedKey(stored, services)
  return key === undefined ? undefined : services.mirror.current().principal(apiKeyHash(key))
}

/** @param balances undefined if they were not requested */
function stateOf(
  principal: Principal | undefined,
  balances: ReadonlyMap<string, number> | undefined,
  { keyLimits }: OriginServices,
): KeyState | null {
  if (!principal?.usageKey) return null
  const { account, keyHash } = principal
  return withoutUndefined({
    key_hash: keyHash,
    expires_at: keyLimits.of(principal)?.expiresAt,
    account_hash: balances && account.hash,
    balance_cents: balances?.get(account.hash),
  })
}

/** One key that cannot be decrypted must not hide the state of the others. */
function openedKey(stored: StoredUsageKey, { channel }: OriginServices): string | undefined {
  try {
    return channel.storedKeys.open(stored)
  } catch (error) {
    if (error instanceof EnvelopeError) return undefined
    throw error
  }
}
