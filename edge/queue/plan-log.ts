import type { ChainLog } from '../chain/chain-log.ts'
import type { DecodePlan } from '../chain/decoding/decoded-log.ts'
import { learnIndexed } from '../chain/decoding/learn-indexed.ts'
import { planDecoding } from '../chain/decoding/plan-decoding.ts'
import type { EventSignature } from '../chain/signature/event-signature.ts'
import type { Watch } from './watch.ts'

/**
 * How a log is decoded, and what it adds to what the trigger's logs have shown. That is kept once it is certain enough:
 * a trigger's runs are decoded alike from then on.
 */
export function planLog(
  signature: EventSignature,
  log: ChainLog,
  before: Watch['learned'],
): { plan: DecodePlan; learned: Watch['learned'] } {
  const plan = planDecoding(signature, log, before ?? undefined)
  if (plan.decode !== 'inferred' || before?.confident) return { plan, learned: before }
  const learned = learnIndexed(signature, [log], before ?? undefined) ?? null
  return { plan: planDecoding(signature, log, learned ?? undefined), learned }
}
