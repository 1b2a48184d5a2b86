import type { SumDefinition } from '../../shared/policies/document.ts'
import type { Policy } from '../../shared/policies/policy.ts'
import { remainingOf } from '../../shared/policies/rolling-sum.ts'
import type { SumStates } from '../../shared/policies/sum-states.ts'

export type UsedSum = { definition: SumDefinition; key: string; remaining: bigint }

/**
 * Returns the sums of a policy that are not empty.
 * @param now Unix milliseconds
 */
export function usedSums({ scope }: Policy, states: SumStates, now: number): UsedSum[] {
  return [...states].flatMap(([key, state]) => {
    // Names of sums contain no slash.
    const definition = scope.sums.get(key.split('/', 1)[0]!)
    if (!definition) return []
    const max = BigInt(definition.max)
    const remaining = remainingOf(state, { max, window_s: definition.window_s }, now)
    return remaining < max ? [{ definition, key, remaining }] : []
  })
}
