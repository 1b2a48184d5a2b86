import { decodeBase64url, encodeBase64url } from '../../shared/encoding/base64url.ts'
import type { Env } from '../env.ts'
import type { TriggerObject } from '../queue/trigger-object.ts'
import { OriginUnavailableError } from '../trust/origin-unavailable-error.ts'
import { checkUsageKey } from './check-usage-key.ts'
import { keyWarnings } from './key-warnings.ts'
import type { SealedUsageKey } from './seal-usage-key.ts'
import { isTriggerId } from './trigger-id.ts'
import { TriggerRejectedError } from './trigger-rejected-error.ts'
import { withoutSideEffects } from './without-side-effects.ts'

type Reseal = {
  /** Trigger whose usage key is copied. Not verified yet. */
  sourceId: string
  actionCid: string
  macKey: string
}

/**
 * Gets the usage key of another trigger of the same owner, encrypted for a new trigger (docs/decisions/0153). The origin
 * opens the stored key and seals it again, so the edge never sees it.
 * @throws {TriggerRejectedError} if the owner has no such trigger, or if its key can no longer be used
 * @throws {OriginUnavailableError | OriginBusyError} if the key cannot be sealed at the moment
 */
export async function resealUsageKey(
  env: Env,
  now: () => number,
  { sourceId, actionCid, macKey }: Reseal,
  owner: { triggerId: string; ownerId: string },
): Promise<SealedUsageKey> {
  const sealed = await storedKeyOf(env, sourceId, { macKey, ownerId: owner.ownerId })
  if (!sealed)
    throw rejected('you have no trigger with this ID', 'Send an ID from GET /api/triggers.')
  const stored = {
    sealed_usage_key: encodeBase64url(sealed),
    trigger_id: sourceId,
    owner_id: owner.ownerId,
  }
  const key = { stored, reseal_for: owner.triggerId }
  const checked = await withoutSideEffects(() => checkUsageKey(env, now, key, actionCid))
  if (checked.key !== 'usage') throw rejected('the usage key of this trigger was removed')
  if (checked.refusedBy === 'expired') throw rejected('the usage key of this trigger has expired')
  const resealed = decodeBase64url(checked.resealed ?? '')
  if (!resealed || resealed.length === 0)
    throw new OriginUnavailableError('the origin did not seal the key', { isUnsent: true })
  return { sealed: resealed, warnings: keyWarnings(checked, actionCid) }
}

async function storedKeyOf(
  env: Env,
  triggerId: string,
  { macKey, ownerId }: { macKey: string; ownerId: string },
): Promise<Uint8Array | undefined> {
  if (!(await isTriggerId(macKey, triggerId))) return undefined
  const queue: Pick<TriggerObject, 'sealedUsageKey'> = env.TRIGGER_QUEUE.getByName(triggerId)
  return queue.sealedUsageKey(ownerId)
}

function rejected(
  problem: string,
  fix = 'Send the ID of a trigger with another usage key, or send usage_api_key.',
): TriggerRejectedError {
  return new TriggerRejectedError({ reason: 'field', field: 'usage_key_of', problem, fix })
}
