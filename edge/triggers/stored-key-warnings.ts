import { encodeBase64url } from '../../shared/encoding/base64url.ts'
import { STORED_KEY_CHECK_MS } from '../../shared/limits.ts'
import type { Env } from '../env.ts'
import { logEvent } from '../log.ts'
import { OriginUnavailableError } from '../trust/origin-unavailable-error.ts'
import { OriginBusyError } from '../trust/sealed-http.ts'
import { checkUsageKey } from './check-usage-key.ts'
import { KEY_WARNINGS, keyWarnings } from './key-warnings.ts'

/** @param withinMs timeout of the check, after which the caller still stores the change */
export async function storedKeyWarnings(
  env: Env,
  now: () => number,
  stored: { sealed: Uint8Array; triggerId: string; ownerId: string },
  actionCid: string,
  withinMs = STORED_KEY_CHECK_MS,
): Promise<string[]> {
  const { sealed, triggerId, ownerId } = stored
  const key = {
    sealed_usage_key: encodeBase64url(sealed),
    trigger_id: triggerId,
    owner_id: ownerId,
  }
  const signal = AbortSignal.timeout(withinMs)
  // The timeout also covers the verification of the origin, which has no timeout of its own.
  const timeout = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () =>
      reject(new OriginUnavailableError('the origin returned no result for a stored key')),
    )
  })
  try {
    const checking = checkUsageKey(env, now, { stored: key }, actionCid, signal)
    return keyWarnings(await Promise.race([checking, timeout]), actionCid)
  } catch (error) {
    if (!(error instanceof OriginUnavailableError || error instanceof OriginBusyError)) throw error
    logEvent(env, 'origin.away', { trigger: triggerId, reason: error.message })
    return [KEY_WARNINGS.not_asked(actionCid)]
  }
}
