import type { LogFilter } from '../matching/log-filter.ts'
import type { EventSignature } from '../signature/event-signature.ts'
import { signatureWithIndexed } from '../signature/signature-with-indexed.ts'
import { topicsOfConditions } from './read-where.ts'
import type { WhereCondition } from './where-filter.ts'

/**
 * Adds conditions to a filter. If the signature marks its indexed arguments, `eq` and `in` conditions on them also
 * become topics.
 */
export function withConditions(
  filter: LogFilter,
  conditions: readonly WhereCondition[],
  signature: EventSignature,
): LogFilter {
  if (conditions.length === 0) return filter
  const { inputs, isMarked } = signature
  const indexed = [...inputs.keys()].filter((at) => inputs[at]!.indexed)
  const nameless = inputs.map(({ type, canonical, indexed }) => ({ type, canonical, indexed }))
  const implied = isMarked ? topicsOfConditions(conditions, signature) : []
  const count = Math.max(filter.topics.length, implied.findLastIndex((topic) => topic !== null) + 1)
  return {
    ...filter,
    topics: Array.from({ length: count }, (_, at) => filter.topics[at] ?? implied[at] ?? null),
    where: {
      signature: signatureWithIndexed({ ...signature, inputs: nameless }, indexed),
      conditions,
    },
  }
}
