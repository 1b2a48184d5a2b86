import { sealForStorage } from '../../shared/envelope/seal.ts'
import type { Env } from '../env.ts'
import { OriginAway } from '../trust/origin-away.ts'
import { sealingKeys } from '../trust/trusted-keys.ts'
import { checkUsageKey } from './check-usage-key.ts'
import { keyWarnings } from './key-warnings.ts'
import { TriggerRefused } from './trigger-refused.ts'

export type TakenKey = {
  /** For this trigger and owner alone: nothing at the edge can open it. */
  sealed: Uint8Array
  /** What a run would be refused for now, for the owner to read. */
  warnings: string[]
}

/**
 * Looks at a usage key and seals it to the origin, before it leaves the request that it came with.
 * @param actionCid of the action that it is to run
 * @throws {TriggerRefused} for an account's own key
 * @throws {OriginAway | OriginBusy} where the origin can not be asked: nothing is stored unchecked
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
    // A look at a key has no effect, whatever became of it.
    if (error instanceof OriginAway && !error.isUnsent)
      throw new OriginAway(error.message, { cause: error, isUnsent: true })
    throw error
  }
}
