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
    const actionCid = readActionCid(body)
    const key = readKey(body, services)
    await requireNotReplayed(body, services)
    const principal = services.mirror.current().principal(apiKeyHash(key))
    if (!principal) return { state: 'known', key: 'unknown', may_execute: false }
    const { usageKey, account, keyHash } = principal
    const refusal = refusalOf(principal, services)
    const isUsable = usageKey !== undefined && refusal.refused_by !== 'expired'
    return {
      state: 'known',
      key: usageKey ? 'usage' : 'account',
      may_execute: actionCid !== undefined && permissionToRun(principal, actionCid) !== undefined,
      ...(body.for_link && {
        key_hash: keyHash,
        account_hash: account.hash,
        reads_account: services.keyLimits.of(principal)?.canReadAccount === true,
      }),
      ...refusal,
      ...(isUsable ? await resealedKey(body, services) : {}),
    }
  },
}

/** The owner of the new binding is that of the old one, so a key cannot move to another owner. */
async function resealedKey(
  { stored, stored_link, reseal_for }: CheckKeyRequest,
  { channel }: OriginServices,
): Promise<{ sealed_usage_key?: string }> {
  const key = stored ?? stored_link
  if (key === undefined || reseal_for === undefined) return {}
  return { sealed_usage_key: await channel.storedKeys.reseal(key, reseal_for) }
}

function refusalOf(
  principal: Principal,
  { keyLimits }: OriginServices,
): { refused_by?: KeyRefusal } {
  if (keyLimits.isExpired(principal)) return { refused_by: 'expired' }
  const limits = keyLimits.of(principal)
  return limits && isRefusedForTriggers(limits) ? { refused_by: 'not_for_triggers' } : {}
}

/** @throws {ApiError} 422 */
function readActionCid({ action_cid, for_link }: CheckKeyRequest): string | undefined {
  if (action_cid !== undefined || for_link) return action_cid
  throw new ApiError(422, 'action_cid: required.', 'Send the CID of the action.')
}

function readKey(
  { api_key, stored, stored_link, reseal_for }: CheckKeyRequest,
  { channel }: OriginServices,
): string {
  const sealed = stored ?? stored_link
  if (reseal_for !== undefined && sealed === undefined)
    throw new ApiError(
      422,
      'reseal_for: expected a stored key.',
      'Send stored or stored_link, or omit reseal_for.',
    )
  const given = [api_key, stored, stored_link].filter((one) => one !== undefined)
  if (given.length !== 1)
    throw new ApiError(
      422,
      'api_key, stored, stored_link: expected exactly one of them.',
      'Send only one of them.',
    )
  return sealed ? channel.storedKeys.open(sealed) : api_key!
}
