import type { TransactionRule } from './document.ts'
import { knownFunction } from './known-functions.ts'
import type { Policy } from './policy.ts'
import { coversCharges } from './tightening/covers-charges.ts'
import { areImplied, type Fact, isContradiction } from './tightening/facts.ts'
import { type NamedFunction, type Region, regionsOf } from './tightening/region.ts'
import { TooMuchWorkError, Work } from './tightening/work.ts'

/**
 * Returns true if a policy provably tightens another: whatever `to` allows, `from` allows, too, and `from` adds it to
 * the same sums with the same or lower amounts, and the same or higher limits. Returns false if there is no proof, so a
 * policy that is equivalent but written differently can count as a loosening.
 *
 * Compares each rule of `to` that allows with the rules of `from` in order, because the first match decides: a request
 * that a narrower rule no longer matches falls to a later one, which may count it in fewer sums (docs/decisions/0111).
 */
export function isTightening(from: Policy, to: Policy): boolean {
  const [before, after] = [from.document, to.document]
  if ((after.change_delay_s ?? 0) < (before.change_delay_s ?? 0)) return false
  // Making a policy immutable cannot be undone, so it waits for the delay, in which the owner can cancel it.
  if (before.immutable !== after.immutable) return false
  if (nftsOf(from) !== nftsOf(to)) return false
  try {
    return new Comparison(from, to).isProven()
  } catch (error) {
    if (error instanceof TooMuchWorkError) return false
    throw error
  }
}

/** Sums count these tokens by number, and their IDs are not unlimited approvals: a change has effects in all rules. */
const nftsOf = ({ document }: Policy): string =>
  (document.tokens ?? [])
    .filter(({ standard }) => standard === 'erc721')
    .map(({ chain, address }) => `${chain}/${address}`)
    .toSorted()
    .join()

/** Measured: a pair takes as long as so many steps in sets. */
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

  /** @param earlier rules of the new policy that come first: none of them decides about the requests of the region */
  #isAllowedBefore(region: Region, earlier: readonly Region[]): boolean {
    for (const old of this.#before.filter(isSameKind(region))) {
      if (this.#isContradiction([...region.frame, ...old.frame])) continue
      if (!this.#isDecodable(region, old, earlier)) return false
      const isDecided = this.#areDecided(region, old, earlier)
      if (!isDecided && (old.rule.effect === 'deny' || !this.#coversCharges(region, old)))
        return false
      // If earlier rules decide about all of them, no request reaches the region.
      if (this.#isWithin(region, old)) return true
    }
    return false
  }

  /** A request that a rule cannot decode is denied. Returns true if the old rule decodes all requests of the region. */
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

  /** Returns true if an earlier rule decides about all requests of the region that the old rule matches. */
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

  /** Returns the alternatives of requests that fulfill one of both lists. */
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

/** Data with fewer bytes than a selector, which a rule that names functions refuses. */
const SHORT_DATA: NamedFunction = { selector: '', canonical: undefined }

/** Returns true if the region has requests with the selector of a function whose data is not its canonical encoding. */
function mayBeUndecodable({ rule, functions }: Region, { selector, canonical }: NamedFunction) {
  const { calls, to } = rule as TransactionRule
  if (calls === 'none') return false
  // A rule that allows calls decodes the well-known functions.
  if (to !== 'creation' && knownFunction(selector)) return false
  if (functions === undefined) return true
  const named = functions.find((each) => each.selector === selector)
  return named !== undefined && named.canonical !== canonical
}

/** Returns true if the rule denies all requests of its frame whose data is not the canonical encoding of the function. */
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
