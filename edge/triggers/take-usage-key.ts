import { sealForStorage } from '../../shared/envelope/seal.ts'
import type { Env } from '../env.ts'
import { OriginAway } from '../trust/origin-away.ts'
import { sealingKeys } from '../trust/trusted-keys.ts'
import { checkUsageKey } from './check-usage-key.ts'
import { keyWarnings } from './key-warnings.ts'
import { TriggerRefused } from './trigger-refused.ts'

export type TakenKey = {
  /** Sealed for this trigger and owner only. The edge cannot open it. */
  sealed: Uint8Array
  /** Warnings for the owner: why runs would be refused now. */
  warnings: string[]
}

/**
 * Checks a usage key and seals it to the origin before it leaves the request that contained it.
 * @param actionCid the CID of the action that the trigger will run
 * @throws {TriggerRefused} for an account key
 * @throws {OriginAway | OriginBusy} if the key cannot be checked now; nothing is stored unchecked
 */
export async function takeUsageKey(
  env: Env,
  now: () => number,
  usageKey: string,
  actionCid: string,
  owner: { triggerId: string; ownerId: string },
): Promise<TakenKey> {
  try {
    const checked = await checkUsageKey(env, now, { api_key: usageKey }, actionCid)
    if (checked.key === 'account') throw new TriggerRefused({ reason: 'account_key' })
    const { storage } = await sealingKeys(env, now())
    const sealed = await sealForStorage(storage, usageKey, owner)
    return { sealed, warnings: keyWarnings(checked, actionCid) }
  } catch (error) {
    // Checking a key has no effect, so a failed check counts as unsent.
    if (error instanceof OriginAway && !error.isUnsent)
      throw new OriginAway(error.message, { cause: error, isUnsent: true })
    throw error
  }
}
