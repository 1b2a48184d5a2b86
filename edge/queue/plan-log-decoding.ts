import type { ChainLog } from '../chain/chain-log.ts'
import type { DecodePlan } from '../chain/decoding/decoded-log.ts'
import { isSettled, learnIndexed } from '../chain/decoding/learn-indexed.ts'
import { planDecoding } from '../chain/decoding/plan-decoding.ts'
import type { EventSignature } from '../chain/signature/event-signature.ts'
import type { SubscriptionState } from './subscription-state.ts'

/**
 * Plans how to decode a log. If neither a known event nor `indexed` keywords determine which arguments are indexed,
 * infers the indexed arguments from the log.
 */
export function planLogDecoding(
  signature: EventSignature,
  log: ChainLog,
  learnedBefore: SubscriptionState['learned'],
): { plan: DecodePlan; learned: SubscriptionState['learned'] } {
  const plan = planDecoding(signature, log, learnedBefore ?? undefined)
  const isUndecided = plan.decode === 'inferred' || plan.decode === 'ambiguous'
  if (!isUndecided || (learnedBefore && isSettled(learnedBefore)))
    return { plan, learned: learnedBefore }
  const learned = learnIndexed(signature, [log], learnedBefore ?? undefined) ?? null
  return { plan: planDecoding(signature, log, learned ?? undefined), learned }
}
