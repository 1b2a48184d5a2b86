import { encodeBase64url } from '../../shared/base64url.ts'
import { STORED_KEY_LOOK_MS } from '../../shared/limits.ts'
import type { Env } from '../env.ts'
import { logEvent } from '../log.ts'
import { OriginAway } from '../trust/origin-away.ts'
import { OriginBusy } from '../trust/sealed-http.ts'
import { checkUsageKey } from './check-usage-key.ts'
import { KEY_WARNINGS, keyWarnings } from './key-warnings.ts'

/**
 * What runs of another action would be refused for with the key that a trigger has, for its owner to read.
 * @param actionCid of the action that it is to run
 * @param withinMs after which nobody could tell: the change is stored in any case
 */
export async function storedKeyWarnings(
  env: Env,
  now: () => number,
  stored: { sealed: Uint8Array; triggerId: string; ownerId: string },
  actionCid: string,
  withinMs = STORED_KEY_LOOK_MS,
): Promise<string[]> {
  const { sealed, triggerId, ownerId } = stored
  const key = {
    sealed_usage_key: encodeBase64url(sealed),
    trigger_id: triggerId,
    owner_id: ownerId,
  }
  const signal = AbortSignal.timeout(withinMs)
  // Also where the origin is to be verified first, which takes as long as it takes.
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () =>
      reject(new OriginAway('the origin said nothing of a stored key')),
    )
  })
  try {
    const checking = checkUsageKey(env, now, { stored: key }, actionCid, signal)
    return keyWarnings(await Promise.race([checking, late]), actionCid)
  } catch (error) {
    if (!(error instanceof OriginAway || error instanceof OriginBusy)) throw error
    logEvent(env, 'origin.away', { trigger: triggerId, reason: error.message })
    return [KEY_WARNINGS.not_asked(actionCid)]
  }
}
