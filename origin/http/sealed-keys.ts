import { MODE_PSK } from '../../shared/envelope/format.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import {
  type CheckKeyResponse,
  checkKeyRequestSchema,
  type CheckKeyRequest,
  type KeyRefusal,
  SEALED_KEYS_PATH,
} from '../../shared/wire/sealed-keys.ts'
import { apiKeyHash } from '../../shared/crypto/keccak.ts'
import { permissionToRun } from '../accounts/permissions.ts'
import type { Principal } from '../accounts/account.ts'
import type { OriginServices } from '../services.ts'
import { isRefusedForTriggers } from '../usage-keys/request-source.ts'
import { requireNotReplayed, type SealedOperation } from './sealed.ts'

export const sealedKeysOperation: SealedOperation<CheckKeyRequest> = {
  path: SEALED_KEYS_PATH,
  schema: checkKeyRequestSchema,
  isOfEdge: true,
  handle: async (body, mode, services): Promise<CheckKeyResponse> => {
    if (mode !== MODE_PSK)
      throw new ApiError(
        403,
        'Only the edge can look up keys.',
        'Send GET /core/v1/account_exists with the key.',
      )
    services.load.requireRoom()
    const key = readKey(body, services)
    await requireNotReplayed(body, services)
    const principal = services.mirror.current().principal(apiKeyHash(key))
    if (!principal) return { state: 'known', key: 'unknown', may_execute: false }
    const { usageKey } = principal
    const refusal = refusalOf(principal, services)
    const isUsable = usageKey !== undefined && refusal.refused_by !== 'expired'
    return {
      state: 'known',
      key: usageKey ? 'usage' : 'account',
      may_execute: permissionToRun(principal, body.action_cid) !== undefined,
      ...refusal,
      ...(isUsable ? await resealedKey(body, services) : {}),
    }
  },
}

/** The new binding differs only in the trigger, so a key cannot move to another owner. */
async function resealedKey(
  { stored, reseal_for }: CheckKeyRequest,
  { channel }: OriginServices,
): Promise<{ sealed_usage_key?: string }> {
  if (stored === undefined || reseal_for === undefined) return {}
  return { sealed_usage_key: await channel.storedKeys.reseal(stored, reseal_for) }
}

function refusalOf(
  principal: Principal,
  { keyLimits }: OriginServices,
): { refused_by?: KeyRefusal } {
  if (keyLimits.isExpired(principal)) return { refused_by: 'expired' }
  const limits = keyLimits.of(principal)
  return limits && isRefusedForTriggers(limits) ? { refused_by: 'not_for_triggers' } : {}
}

function readKey(
  { api_key, stored, reseal_for }: CheckKeyRequest,
  { channel }: OriginServices,
): string {
  if (reseal_for !== undefined && stored === undefined)
    throw new ApiError(
      422,
      'reseal_for: expected a stored key.',
      'Send stored, or omit reseal_for.',
    )
  if (api_key !== undefined && stored === undefined) return api_key
  if (stored !== undefined && api_key === undefined) return channel.storedKeys.open(stored)
  throw new ApiError(
    422,
    'api_key, stored: expected exactly one of them.',
    'Send only one of them.',
  )
}
