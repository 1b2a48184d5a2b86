import { reasonOf } from '../../shared/errors.ts'
import type { AskedKey } from '../../shared/wire/sealed-keys.ts'
import type { Env } from '../env.ts'
import { OriginBusy } from '../trust/sealed-http.ts'
import { OriginAway } from '../trust/origin-away.ts'
import { SealedOrigin } from '../trust/sealed-origin.ts'

export type CheckedKey = {
  /** `account`: the account key, which a trigger must not hold. `unknown`: no account has this key now. */
  key: 'usage' | 'account' | 'unknown'
  /** True if a run of the action would be permitted now. Permission may be granted later. */
  mayExecute: boolean
}

/**
 * Asks the origin about a usage key, before the key or another action is stored with a trigger. Callers reject an
 * account key with 422. An unknown key, or one without permission, only causes a warning.
 * @param actionCid the CID of the action that the trigger will run
 * @param signal aborts the wait
 * @throws {OriginAway | OriginBusy} 503 or 429: the key cannot be checked now
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
  throw new OriginAway(`the origin did not look at the key: ${reasonOf(answer)}`, {
    isUnsent: true,
  })
}
