import type { AbiValue } from './abi-type.ts'
import { ZERO_ADDRESS } from './address.ts'
import { type Check, compileConditions, type Failure } from './conditions.ts'
import type { CallEntry, TransactionRule } from './document.ts'
import type { Effect } from './effects.ts'
import { type ContractFunction, parseFunction } from './function-signature.ts'
import { unnamedHazard } from './hazards.ts'
import { type Calldata, knownFunction } from './known-functions.ts'
import { isMismatch, type MatchRule, type Mismatch } from './mismatch.ts'
import { addressSet } from './named-lists.ts'
import { refuse } from './policy-error.ts'
import type { Scope } from './scope.ts'
import { maxGasPrice, type Transaction } from './transaction.ts'

/** Transaction types that a rule allows by default. */
export const DEFAULT_TYPES = [0, 1, 2]

/** @throws {PolicyError} */
export function compileTransactionRule(
  rule: TransactionRule,
  scope: Scope,
  path: string,
): MatchRule {
  const chains = rule.chains === 'any' ? undefined : new Set(rule.chains.map(BigInt))
  const isRecipient = compileRecipients(rule, scope, path)
  const matchCall = compileCalls(rule, scope, path)
  const checkLimits = compileLimits(rule)
  const types = rule.transaction_types ?? DEFAULT_TYPES
  const allows = rule.effect === 'allow'
  return (subject, { wallet }) => {
    if (subject.kind !== 'transaction') throw new TypeError('not a transaction')
    const { transaction, calldata } = subject
    const { chainId, type } = transaction
    if (chains && !chains.has(chainId))
      return { step: 3, code: 'chain_not_allowed', reason: `the chain ${chainId} is not named` }
    const refused = isRecipient(transaction.to, wallet)
    if (refused) return refused
    if (allows && !types.includes(type))
      return { step: 5, code: 'transaction_type', reason: `the type ${type} is not named` }
    const effect = matchCall(calldata, transaction.to, wallet)
    if (effect && isMismatch(effect)) return effect
    if (!allows) return { effect }
    const exceeded = checkLimits(transaction)
    if (exceeded) return exceeded
    const hazard = effect && unnamedHazard(effect, rule, scope, chainId)
    return hazard ? { ...hazard, step: 10 } : { effect }
  }
}

function compileRecipients(
  { to, effect, zero_address }: TransactionRule,
  { lists }: Scope,
  path: string,
): (address: string | null, wallet: string) => Mismatch | undefined {
  const named = Array.isArray(to) ? addressSet(to, lists, `${path}.to`) : undefined
  if (effect === 'deny' && to === 'any') return () => undefined
  return (address, wallet) => {
    if (address === null)
      return to === 'creation'
        ? undefined
        : { step: 4, code: 'contract_creation', reason: 'the transaction creates a contract' }
    if (to === 'creation' || (named && !named.has(address, wallet)))
      return { step: 4, code: 'recipient_not_allowed', reason: `${address} is not named in to` }
    if (address === ZERO_ADDRESS && !named && !zero_address)
      return { step: 4, code: 'zero_address', reason: 'the recipient is the zero address' }
    return undefined
  }
}

type MatchCall = (
  calldata: Calldata,
  to: string | null,
  wallet: string,
) => Effect | Mismatch | undefined

const NO_MOVEMENTS: Effect = { movements: [] }

function compileCalls(rule: TransactionRule, scope: Scope, path: string): MatchCall {
  const { calls, to, effect, sums = [] } = rule
  if (calls === 'none')
    return ({ selector }) =>
      selector === undefined
        ? NO_MOVEMENTS
        : { step: 6, code: 'data_not_allowed', reason: 'the rule allows no data' }
  if (calls === 'any') {
    if (effect === 'deny') return () => NO_MOVEMENTS
    return (calldata, address) => (address === null ? undefined : effectOf(calldata, address))
  }
  if (to === 'creation') refuse(`${path}.calls`, 'a contract creation has no function; write "any"')
  const entries = compileEntries(calls, scope, `${path}.calls`)
  if (sums.some((name) => scope.sums.get(name)?.of === 'tokens')) requireCounted(calls, path)
  return (calldata, address, wallet) => {
    calldata.requireSelector()
    const named = entries.get(calldata.selector ?? '')
    if (!named)
      return {
        step: 6,
        code: 'function_not_allowed',
        reason: `the rule does not name the function ${calldata.selector ?? '(no data)'}`,
      }
    const failure = firstFailure(named, calldata, wallet)
    if (failure) return { step: 7, code: 'condition_failed', reason: failure() }
    return effectOf(calldata, address!)
  }
}

/** @throws {DeniedError} if the data of a well-known function is not canonical */
function effectOf(calldata: Calldata, contract: string): Effect | undefined {
  if (calldata.selector === undefined) return NO_MOVEMENTS
  const known = knownFunction(calldata.selector)
  return known?.effect(calldata.argumentsOf(known), contract)
}

type Entry = { called: ContractFunction | undefined; check: Check | undefined }

/** Entries by selector. Several entries of one function are alternatives. */
function compileEntries(
  calls: readonly CallEntry[],
  scope: Scope,
  path: string,
): Map<string, Entry[]> {
  const entries = new Map<string, Entry[]>()
  for (const [index, call] of calls.entries()) {
    const where = `${path}[${index}]`
    const called = 'function' in call ? functionOf(call.function, `${where}.function`) : undefined
    const selector = called?.selector ?? ('selector' in call ? call.selector : '')
    const others = entries.get(selector) ?? []
    if (others.some((other) => other.called?.canonical !== called?.canonical))
      refuse(where, `another entry has the same selector ${selector}; use one form for both`)
    const check =
      called && 'conditions' in call && call.conditions
        ? compileConditions(call.conditions, called.arguments, {
            path: `${where}.conditions`,
            lists: scope.lists,
          })
        : undefined
    entries.set(selector, [...others, { called, check }])
  }
  return entries
}

function functionOf(signature: string, path: string): ContractFunction {
  let called
  try {
    called = parseFunction(signature)
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return refuse(path, `${problem}; write, for example, transfer(address to, uint256 amount)`)
  }
  const known = knownFunction(called.selector)
  if (known && known.canonical !== called.canonical)
    refuse(
      path,
      `the selector ${called.selector} is also that of ${known.canonical}; name that function`,
    )
  return called
}

/** A sum that silently did not count a function would be no limit. */
function requireCounted(calls: readonly CallEntry[], path: string): void {
  for (const [index, call] of calls.entries()) {
    const selector = 'function' in call ? parseFunction(call.function).selector : call.selector
    if (!knownFunction(selector))
      refuse(
        `${path}.calls[${index}]`,
        'sums of tokens count only the functions in docs/policies.md; allow others in a rule without these sums',
      )
  }
}

function firstFailure(
  entries: readonly Entry[],
  calldata: Calldata,
  wallet: string,
): Failure | undefined {
  let failure: Failure | undefined
  for (const { called, check } of entries) {
    // Decodes even without conditions, because data that is not canonical has no certain meaning.
    const values: readonly AbiValue[] = called ? calldata.argumentsOf(called) : []
    const failed = check?.(values, wallet)
    if (failed === undefined) return undefined
    failure ??= failed
  }
  return failure
}

function compileLimits(rule: TransactionRule): (transaction: Transaction) => Mismatch | undefined {
  const valueMax = BigInt(rule.value_max ?? 0)
  const gasMax = rule.gas_limit_max === undefined ? undefined : BigInt(rule.gas_limit_max)
  const priceMax = rule.gas_price_max === undefined ? undefined : BigInt(rule.gas_price_max)
  return (transaction) => {
    const { value, gasLimit } = transaction
    const price = maxGasPrice(transaction)
    const over = (what: string, given: bigint, max: bigint) =>
      `the ${what} is ${given}, which is more than ${max}`
    if (value > valueMax)
      return { step: 8, code: 'value_over_max', reason: over('value', value, valueMax) }
    if (gasMax !== undefined && gasLimit > gasMax)
      return { step: 9, code: 'gas_limit_over_max', reason: over('gas limit', gasLimit, gasMax) }
    if (priceMax !== undefined && price > priceMax)
      return { step: 9, code: 'gas_price_over_max', reason: over('gas price', price, priceMax) }
    return undefined
  }
}
