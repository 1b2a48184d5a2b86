import { MODE_PSK } from '../../shared/envelope/format.ts'
import { ApiError } from '../../shared/errors/api-error.ts'
import {
  type CheckKeyResponse,
  checkKeyRequestSchema,
  type CheckKeyRequest,
  SEALED_KEYS_PATH,
} from '../../shared/wire/sealed-keys.ts'
import { apiKeyHash } from '../../shared/crypto/keccak.ts'
import { permissionToRun } from '../accounts/permissions.ts'
import type { OriginServices } from '../services.ts'
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
    return {
      state: 'known',
      key: principal.usageKey ? 'usage' : 'account',
      may_execute: permissionToRun(principal, body.action_cid) !== undefined,
      ...(services.keyLimits.isExpired(principal) && { refused_by: 'expired' }),
    }
  },
}

function readKey({ api_key, stored }: CheckKeyRequest, { channel }: OriginServices): string {
  if (api_key !== undefined && stored === undefined) return api_key
  if (stored !== undefined && api_key === undefined) return channel.storedKeys.open(stored)
  throw new ApiError(
    422,
    'api_key, stored: expected exactly one of them.',
    'Send only one of them.',
  )
}
