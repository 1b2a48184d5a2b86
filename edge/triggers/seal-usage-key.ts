import { sealForStorage } from '../../shared/envelope/seal.ts'
import type { Env } from '../env.ts'
import { sealingKeys } from '../trust/sealed-call.ts'
import { checkUsageKey } from './check-usage-key.ts'
import { keyWarnings } from './key-warnings.ts'
import { TriggerRejectedError } from './trigger-rejected-error.ts'
import { withoutSideEffects } from './without-side-effects.ts'

export type SealedUsageKey = {
  /** Usage key, encrypted for this trigger and owner only. The edge cannot decrypt it. */
  sealed: Uint8Array
  warnings: string[]
}

/**
 * Checks a usage key and encrypts it to the origin. The plaintext key never leaves the request that contained it.
 * @throws {TriggerRejectedError} if the key is an account key
 * @throws {OriginUnavailableError | OriginBusyError} if the key cannot be checked at the moment; an unchecked key is
 *   never stored
 */
export async function sealUsageKey(
  env: Env,
  now: () => number,
  usageKey: string,
  actionCid: string,
  owner: { triggerId: string; ownerId: string },
): Promise<SealedUsageKey> {
  return withoutSideEffects(async () => {
    const checked = await checkUsageKey(env, now, { api_key: usageKey }, actionCid)
    if (checked.key === 'account') throw new TriggerRejectedError({ reason: 'account_key' })
    const { storage } = await sealingKeys(env, now())
    const sealed = await sealForStorage(storage, usageKey, owner)
    return { sealed, warnings: keyWarnings(checked, actionCid) }
  })
}
