import { type Check, compileConditions } from './conditions.ts'
import type { TypedDataRule } from './document.ts'
import { effectOfType } from './effects.ts'
import { unnamedHazard } from './hazards.ts'
import type { MatchRule, Mismatch } from './mismatch.ts'
import { type AddressSet, addressSet } from './named-lists.ts'
import { refuse } from './policy-error.ts'
import type { Scope } from './scope.ts'
import { parseEncodedType } from './struct-types.ts'
import type { TypedData, TypedDataDomain } from './typed-data.ts'

/** @throws {PolicyError} */
export function compileTypedDataRule(rule: TypedDataRule, scope: Scope, path: string): MatchRule {
  const checkChain = compileChain(rule)
  const isDomain = compileDomains(rule, scope, path)
  const checkType = compileTypes(rule, scope, path)
  const allows = rule.effect === 'allow'
  return (subject, { wallet }) => {
    if (subject.kind !== 'typed_data') throw new TypeError('not typed data')
    const { typedData } = subject
    const { domain, type } = typedData
    const refused = checkChain(domain.chainId)
    if (refused) return refused
    if (!isDomain(domain, wallet))
      return { step: 4, code: 'domain_not_allowed', reason: 'the rule does not name the domain' }
    const failed = checkType(typedData, wallet)
    if (failed) return failed
    const effect = effectOfType(type.encodedType)?.(typedData.value, domain.verifyingContract)
    const hazard = allows && effect && unnamedHazard(effect, rule, scope, domain.chainId)
    return hazard ? { ...hazard, step: 10 } : { effect }
  }
}

function compileChain({
  chains,
  effect,
  chainless_domain,
}: TypedDataRule): (chainId: bigint | undefined) => Mismatch | undefined {
  const named = chains === 'any' ? undefined : new Set(chains.map(BigInt))
  return (chainId) => {
    if (chainId === undefined) {
      // A signature without a chain is valid on the chains of the rule, too.
      if (effect === 'deny' || chainless_domain) return undefined
      return { step: 3, code: 'domain_chain_missing', reason: 'the domain has no chain ID' }
    }
    if (named && !named.has(chainId))
      return { step: 3, code: 'chain_not_allowed', reason: `the chain ${chainId} is not named` }
    return undefined
  }
}

function compileDomains(
  { domains, effect }: TypedDataRule,
  { lists }: Scope,
  path: string,
): (domain: TypedDataDomain, wallet: string) => boolean {
  if (domains === 'any') return () => true
  const compiled = domains.map(({ name, version, verifying_contract: contract, salt }, index) => {
    const set: AddressSet | undefined =
      contract === 'any'
        ? undefined
        : addressSet(contract, lists, `${path}.domains[${index}].verifying_contract`)
    return { name, version, salt, set }
  })
  /** A deny rule also covers domains that leave out a member, because contracts decide which ones they use. */
  const isEqual = (named: string | undefined, given: string | undefined) =>
    named === undefined || named === given || (effect === 'deny' && given === undefined)
  return (domain, wallet) =>
    compiled.some(({ name, version, salt, set }) => {
      const contract = domain.verifyingContract
      const isContract =
        !set || (contract === undefined ? effect === 'deny' : set.has(contract, wallet))
      return (
        isContract &&
        isEqual(name, domain.name) &&
        isEqual(version, domain.version) &&
        (salt === domain.salt || (effect === 'deny' && isEqual(salt, domain.salt)))
      )
    })
}

function compileTypes(
  { types, sums = [] }: TypedDataRule,
  scope: Scope,
  path: string,
): (typedData: TypedData, wallet: string) => Mismatch | undefined {
  if (types === 'any') return () => undefined
  const checks = new Map<string, Check[]>()
  const hasTokenSums = sums.some((name) => scope.sums.get(name)?.of === 'tokens')
  for (const [index, { type: text, conditions }] of types.entries()) {
    const where = `${path}.types[${index}]`
    const type = typeOf(text, `${where}.type`)
    if (hasTokenSums && !effectOfType(text))
      refuse(
        `${where}.type`,
        'sums of tokens count only the types in docs/policies.md; allow others in a rule without these sums',
      )
    const check = compileConditions(conditions, type, {
      path: `${where}.conditions`,
      lists: scope.lists,
    })
    checks.set(text, [...(checks.get(text) ?? []), check])
  }
  return ({ type, primaryType, value }, wallet) => {
    const named = checks.get(type.encodedType)
    if (!named)
      return {
        step: 6,
        code: 'type_not_allowed',
        reason: `the rule does not name the type ${primaryType} with these members`,
      }
    const failures = named.map((check) => check(value, wallet))
    if (failures.includes(undefined)) return undefined
    return { step: 7, code: 'condition_failed', reason: failures[0]!() }
  }
}

function typeOf(text: string, path: string) {
  try {
    return parseEncodedType(text)
  } catch (error) {
    return refuse(path, error instanceof Error ? error.message : String(error))
  }
}
