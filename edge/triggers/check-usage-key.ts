import { errorReason } from '../../shared/errors/api-error.ts'
import type { KeyRefusal, KeyToCheck } from '../../shared/wire/sealed-keys.ts'
import type { Env } from '../env.ts'
import { OriginBusyError } from '../trust/sealed-http.ts'
import { OriginUnavailableError } from '../trust/origin-unavailable-error.ts'
import { SealedOrigin } from '../trust/sealed-origin.ts'

export type CheckedKey = {
  /**
   * Kind of the key. `account`: an account key, which must not be stored with a trigger. `unknown`: no account
   * currently has the key.
   */
  key: 'usage' | 'account' | 'unknown'
  mayExecute: boolean
  /** Limit of the key because of which the origin refuses runs of triggers. */
  refusedBy?: KeyRefusal | undefined
  /** Set if the key was sealed again for another trigger. */
  resealed?: string | undefined
}

/**
 * Checks a usage key before the key or a new action is stored with a trigger. Callers reject an account key with 422. A
 * key that is unknown or lacks permission only causes a warning.
 * @throws {OriginUnavailableError | OriginBusyError} if the key cannot be checked at the moment; callers respond with
 *   503 or 429
 */
export async function checkUsageKey(
  env: Env,
  now: () => number,
  key: KeyToCheck,
  actionCid: string,
  signal?: AbortSignal,
): Promise<CheckedKey> {
  const request = { ...key, action_cid: actionCid }
  const response = await new SealedOrigin(env, now).checkKey(request, signal)
  if (response.state === 'known') {
    const { key: kind, may_execute, refused_by, sealed_usage_key } = response
    return {
      key: kind,
      mayExecute: may_execute,
      refusedBy: refused_by,
      resealed: sealed_usage_key,
    }
  }
  const { status } = response
  if (status === 429 || status === 503) throw new OriginBusyError({ ...response, status })
  throw new OriginUnavailableError(`the origin could not check the key: ${errorReason(response)}`, {
    isUnsent: true,
  })
}
