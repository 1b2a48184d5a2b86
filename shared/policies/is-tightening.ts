import type { TransactionRule } from './document.ts'
import { knownFunction } from './known-functions.ts'
import type { Policy } from './policy.ts'
import { coversCharges } from './tightening/covers-charges.ts'
import { areImplied, type Fact, isContradiction } from './tightening/facts.ts'
import { type NamedFunction, type Region, regionsOf } from './tightening/region.ts'
import { TooMuchWorkError, Work } from './tightening/work.ts'

/**
 * Returns true if `to` provably tightens `from`: `from` allows every request that `to` allows, and counts it in no
 * additional sums, with no higher amounts and under no lower limits. Returns false without a proof, so an equivalent
 * policy that is written differently can count as a loosening.
 *
 * Compares each allowing rule of `to` with the rules of `from` in order, because the first match decides: a request
 * that a narrowed rule no longer matches falls through to a later one, which may count it in fewer sums
 * (docs/decisions/0111).
 */
export function isTightening(from: Policy, to: Policy): boolean {
  const [before, after] = [from.document, to.document]
  if ((after.change_delay_s ?? 0) < (before.change_delay_s ?? 0)) return false
  // Not a tightening, although it allows nothing new: it cannot be undone, so the owner can cancel it during the delay.
  if (before.immutable !== after.immutable) return false
  if (nftsOf(from) !== nftsOf(to)) return false
  try {
    return new Comparison(from, to).isProven()
  } catch (error) {
    if (error instanceof TooMuchWorkError) return false
    throw error
  }
}

/** ERC-721 tokens. The standard affects all rules: sums count these tokens by number, and an ID is not an amount. */
const nftsOf = ({ document }: Policy): string =>
  (document.tokens ?? [])
    .filter(({ standard }) => standard === 'erc721')
    .map(({ chain, address }) => `${chain}/${address}`)
    .toSorted()
    .join()

/** Measured cost of a pair, in units of one set operation. */
const PAIR_STEPS = 30

class Comparison {
  readonly #work = new Work()
  readonly #from: Policy
  readonly #to: Policy
  readonly #before: readonly Region[]
  readonly #after: readonly Region[]

  constructor(from: Policy, to: Policy) {
    this.#from = from
    this.#to = to
    const regions = regionsOf(from, to)
    this.#before = regions.from
    this.#after = regions.to
  }

  isProven(): boolean {
    return this.#after.every(
      (region, index) =>
        region.rule.effect === 'deny' ||
        this.#isAllowedBefore(region, this.#after.slice(0, index).filter(isSameKind(region))),
    )
  }

  /** @param earlier preceding rules of the new policy; requests that they match do not reach the region */
  #isAllowedBefore(region: Region, earlier: readonly Region[]): boolean {
    for (const old of this.#before.filter(isSameKind(region))) {
      if (this.#isContradiction([...region.frame, ...old.frame])) continue
      if (!this.#isDecodable(region, old, earlier)) return false
      const isDecided = this.#areDecided(region, old, earlier)
      if (!isDecided && (old.rule.effect === 'deny' || !this.#coversCharges(region, old)))
        return false
      // The old rule decides all requests of the region that are left, so later old rules do not matter.
      if (this.#isWithin(region, old)) return true
    }
    return false
  }

  /** Returns true if the old rule can decode all requests of the region. It denies requests that it cannot decode. */
  #isDecodable(region: Region, old: Region, earlier: readonly Region[]): boolean {
    if (!old.functions) return true
    const frame = [...region.frame, ...old.frame]
    const decoded = old.functions.filter(({ canonical }) => canonical !== undefined)
    return [...decoded, SHORT_DATA].every(
      (called) =>
        !mayBeUndecodable(region, called) ||
        earlier.some(
          (rule) => stopsUndecodable(rule, called) && areImplied(rule.frame, frame, this.#work),
        ),
    )
  }

  /** Returns true if an earlier rule decides all requests that are in the region and match the old rule. */
  #areDecided(region: Region, old: Region, earlier: readonly Region[]): boolean {
    const common = [...region.frame, ...region.limits, ...old.frame, ...old.limits]
    const pairs = region.unions.map((union, index) => this.#pairs(union, old.unions[index]!))
    if (pairs.some((union) => union.length === 0)) return true
    return earlier.some(
      (rule) =>
        areImplied([...rule.frame, ...rule.limits], common, this.#work) &&
        pairs.every((union, index) => this.#areWithin(union, rule.unions[index]!)),
    )
  }

  /** Returns the combinations of an alternative from each list that do not contradict each other. */
  #pairs(ones: readonly (readonly Fact[])[], others: readonly (readonly Fact[])[]): Fact[][] {
    this.#work.spend(ones.length * others.length * PAIR_STEPS)
    return ones
      .flatMap((one) => others.map((other) => [...one, ...other]))
      .filter((facts) => !this.#isContradiction(facts))
  }

  #isWithin(region: Region, old: Region): boolean {
    const common = [...region.frame, ...region.limits]
    return (
      areImplied([...old.frame, ...old.limits], common, this.#work) &&
      region.unions.every((union, index) => this.#areWithin(union, old.unions[index]!))
    )
  }

  #areWithin(inner: readonly (readonly Fact[])[], outer: readonly (readonly Fact[])[]): boolean {
    return inner.every((facts) => outer.some((wanted) => areImplied(wanted, facts, this.#work)))
  }

  #isContradiction(facts: readonly Fact[]): boolean {
    return isContradiction(facts, this.#work)
  }

  #coversCharges({ rule }: Region, old: Region): boolean {
    this.#work.spend((rule.sums?.length ?? 0) * (old.rule.sums?.length ?? 0))
    return coversCharges(
      { rule, scope: this.#to.scope },
      { rule: old.rule, scope: this.#from.scope },
    )
  }
}

const isSameKind =
  ({ rule }: Region) =>
  (other: Region) =>
    other.rule.kind === rule.kind

/** Data that is shorter than a selector. A rule that names functions denies it. */
const SHORT_DATA: NamedFunction = { selector: '', canonical: undefined }

/** Returns true if the region may contain calls of the function that are not canonically encoded. */
function mayBeUndecodable({ rule, functions }: Region, { selector, canonical }: NamedFunction) {
  const { calls, to } = rule as TransactionRule
  if (calls === 'none') return false
  // A rule that allows calls decodes well-known functions itself.
  if (to !== 'creation' && knownFunction(selector)) return false
  if (functions === undefined) return true
  const named = functions.find((each) => each.selector === selector)
  return named !== undefined && named.canonical !== canonical
}

/** Returns true if the rule denies all calls of the function in its frame that are not canonically encoded. */
function stopsUndecodable({ rule, functions }: Region, called: NamedFunction): boolean {
  const isDenied = rule.effect === 'deny'
  if (functions === undefined) return isDenied && (rule as TransactionRule).calls === 'any'
  if (called === SHORT_DATA) return true
  return functions.some(
    ({ selector, canonical }) =>
      selector === called.selector &&
      (canonical === called.canonical || (isDenied && canonical === undefined)),
  )
}
