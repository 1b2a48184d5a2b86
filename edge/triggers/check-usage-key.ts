import { reasonOf } from '../../shared/errors.ts'
import type { AskedKey } from '../../shared/wire/sealed-keys.ts'
import type { Env } from '../env.ts'
import { OriginBusy } from '../trust/sealed-http.ts'
import { OriginAway } from '../trust/origin-away.ts'
import { SealedOrigin } from '../trust/sealed-origin.ts'

export type CheckedKey = {
  /**
   * `account`: an account key, which must not be stored with a trigger. `unknown`: no account currently has the key.
   */
  key: 'usage' | 'account' | 'unknown'
  /** Permission may also be granted later. */
  mayExecute: boolean
}

/**
 * Called before the key or the action is stored with a trigger. Callers reject an account key with 422. A key that is
 * unknown or lacks permission only causes a warning.
 * @param signal aborts the wait for the origin's response
 * @throws {OriginAway | OriginBusy} if the key cannot be checked at the moment; callers respond with 503 or 429
 */
export async function checkUsageKey(
  env: Env,
  now: () => number,
  key: AskedKey,
  actionCid: string,
  signal?: AbortSignal,
): Promise<CheckedKey> {
  const question = { ...key, action_cid: actionCid }
  const answer = await new SealedOrigin(env, now).checkKey(question, signal)
  if (answer.state === 'known') return { key: answer.key, mayExecute: answer.may_execute }
  const { status } = answer
  if (status === 429 || status === 503) throw new OriginBusy({ ...answer, status })
  throw new OriginAway(`the origin did not check the key: ${reasonOf(answer)}`, {
    isUnsent: true,
  })
}
