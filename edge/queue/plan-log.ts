import type { ChainLog } from '../chain/chain-log.ts'
import type { DecodePlan } from '../chain/decoding/decoded-log.ts'
import { isSettled, learnIndexed } from '../chain/decoding/learn-indexed.ts'
import { planDecoding } from '../chain/decoding/plan-decoding.ts'
import type { EventSignature } from '../chain/signature/event-signature.ts'
import type { Watch } from './watch.ts'

/** If neither a known event nor `indexed` keywords determine the indexed arguments, infers them from the log. */
export function planLog(
  signature: EventSignature,
  log: ChainLog,
  before: Watch['learned'],
): { plan: DecodePlan; learned: Watch['learned'] } {
  const plan = planDecoding(signature, log, before ?? undefined)
  const isOpen = plan.decode === 'inferred' || plan.decode === 'ambiguous'
  if (!isOpen || (before && isSettled(before))) return { plan, learned: before }
  const learned = learnIndexed(signature, [log], before ?? undefined) ?? null
  return { plan: planDecoding(signature, log, learned ?? undefined), learned }
}
