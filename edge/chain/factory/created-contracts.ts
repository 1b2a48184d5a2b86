import { type ChainLog, positionOf } from '../chain-log.ts'
import { decodeLog } from '../decoding/decode-log.ts'
import { planDecoding } from '../decoding/plan-decoding.ts'
import type { LogFilter } from '../matching/log-filter.ts'
import { matchesFilter } from '../matching/log-matching.ts'
import type { EventSignature } from '../signature/event-signature.ts'
import { parseEventSignature } from '../signature/parse-event-signature.ts'
import type { FactoryFilter } from './factory-filter.ts'
import type { LearnedContract } from './learned-contracts.ts'

/** Filter of the event that announces new contracts. */
export function creationFilter({ address, topic0 }: FactoryFilter): LogFilter {
  return { address, topic0, topics: [] }
}

/**
 * Returns the contracts that creation logs name, in the order of the logs. Ignores logs of other factories, and logs
 * that do not fit the signature.
 */
export function createdContracts(
  factory: FactoryFilter,
  logs: readonly ChainLog[],
): LearnedContract[] {
  const filter = creationFilter(factory)
  const created: LearnedContract[] = []
  for (const log of logs) {
    const address = matchesFilter(filter, log) ? createdContract(factory, log) : undefined
    if (address !== undefined) created.push({ address, at: positionOf(log) })
  }
  return created
}

/** Parsed on first use. A filter object lives as long as its subscription. */
const signatures = new WeakMap<FactoryFilter, EventSignature>()

function createdContract(factory: FactoryFilter, log: ChainLog): string | undefined {
  let signature = signatures.get(factory)
  if (!signature) signatures.set(factory, (signature = parseEventSignature(factory.signature)))
  const { decoded } = decodeLog(signature, log, planDecoding(signature, log))
  const value = decoded?.[`arg${factory.argument}`]
  return typeof value === 'string' ? value.toLowerCase() : undefined
}
