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
import { EnvelopeError } from '../channel/open-request.ts'
import type { OriginServices } from '../services.ts'
import type { SealedOperation } from './sealed.ts'

/** A replayed request is answered, too, because it changes nothing. */
export const sealedKeyStatesOperation: SealedOperation<KeyStatesRequest> = {
  path: SEALED_KEY_STATES_PATH,
  schema: keyStatesRequestSchema,
  isOfEdge: true,
  handle: async ({ stored }, mode, services): Promise<KeyStatesResponse> => {
    if (mode !== MODE_PSK)
      throw new ApiError(
        403,
        'Only the edge can read the state of stored keys.',
        'Send GET /core/v1/list_api_keys with the account key.',
      )
    services.load.requireRoom()
    return { state: 'known', keys: stored.map((one) => stateOf(one, services)) }
  },
}

function stateOf(stored: StoredUsageKey, services: OriginServices): KeyState | null {
  const key = openedKey(stored, services)
  const principal =
    key === undefined ? undefined : services.mirror.current().principal(apiKeyHash(key))
  if (!principal?.usageKey) return null
  const expires_at = services.keyLimits.of(principal)?.expiresAt
  return withoutUndefined({ key_hash: principal.keyHash, expires_at })
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
