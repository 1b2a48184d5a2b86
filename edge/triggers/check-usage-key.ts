import { reasonOf } from '../../shared/errors.ts'
import type { AskedKey } from '../../shared/wire/sealed-keys.ts'
import type { Env } from '../env.ts'
import { OriginBusy } from '../trust/sealed-http.ts'
import { OriginAway } from '../trust/origin-away.ts'
import { SealedOrigin } from '../trust/sealed-origin.ts'

export type CheckedKey = {
  /** `account`: the account's own key, which no trigger may hold; `unknown`: it resolves to nothing now. */
  key: 'usage' | 'account' | 'unknown'
  /** Whether a run of the action would be permitted now; a grant may come later. */
  mayExecute: boolean
}

/**
 * Asks the origin what a key is, before it or another action is stored with a trigger (`decisions.md`, Usage keys at
 * rest): a master key is to be refused with 422, a key that is unknown or not permitted is worth a warning.
 * @param actionCid of the action that the trigger is to run
 * @param signal ends the wait
 * @throws {OriginAway | OriginBusy} 503 or 429: nobody can tell now
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
