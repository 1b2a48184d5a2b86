import type { Rule, SumDefinition } from '../document.ts'
import type { Scope } from '../scope.ts'

/** A rule with the definitions that it refers to. */
type ScopedRule = { rule: Rule; scope: Scope }

/**
 * Returns true only if, for every request that the new rule allows, its charges include those of the old rule: the same
 * sums, with the same or higher amounts and the same or lower limits. The sums of the old rule then do not deny the
 * request.
 */
export function coversCharges(to: ScopedRule, from: ScopedRule): boolean {
  const before = sumsOf(from)
  const after = sumsOf(to)
  const countedAfter = placesOf(after, to.scope)
  const areIncluded = before.every((old) => {
    const sum = after.find(({ name }) => name === old.name)
    if (!sum || !countsAsMuch(sum, old)) return false
    const counted = placesOf([sum], to.scope)
    // The new rule denies tokens that none of its sums counts.
    return [...placesOf([old], from.scope)].every(
      (place) => counted.has(place) || !countedAfter.has(place),
    )
  })
  const isTokenLimited = before.some(({ of }) => of === 'tokens')
  if (!areIncluded || !isTokenLimited) return areIncluded
  // The old rule denies tokens that none of its sums counts.
  const countedBefore = placesOf(before, from.scope)
  return [...countedAfter].every((place) => countedBefore.has(place))
}

const sumsOf = ({ rule, scope }: ScopedRule) =>
  (rule.sums ?? []).map((name) => scope.sums.get(name)!)

/** Compares two sums with the same name, except for their tokens. */
function countsAsMuch(sum: SumDefinition, old: SumDefinition): boolean {
  const isSpend = sum.of === 'native_spend' && old.of === 'native_value'
  return (
    (sum.of === old.of || isSpend) &&
    sum.per_recipient === old.per_recipient &&
    sum.window_s === old.window_s &&
    BigInt(sum.max) <= BigInt(old.max)
  )
}

/** Returns the tokens that sums count. */
function placesOf(sums: readonly SumDefinition[], { tokens }: Scope): Set<string> {
  const names = sums.flatMap((sum) => sum.tokens ?? [])
  return new Set(
    names.map((name) => {
      const { chain, address } = tokens.get(name)!
      return `${chain}/${address}`
    }),
  )
}
