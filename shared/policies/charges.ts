/** Computes what a signature adds to the sums of its rule, whatever they contain already. */
import type { Rule, SumDefinition } from './document.ts'
import type { Effect, Movement } from './effects.ts'
import { CHARGES_MAX } from './limits.ts'
import type { Mismatch } from './mismatch.ts'
import { refuse } from './policy-error.ts'
import type { Scope } from './scope.ts'
import { maxFee, type Transaction } from './transaction.ts'

/** Sums are checked after all conditions. */
const STEP = 100

/** An addition to one sum, which has to be reserved before the signature exists. */
export type Charge = {
  /** Name of the sum in the policy. */
  sum: string
  /** Identifies the sum within the policy's wallet: its name, and the chain, token and recipient that it counts. */
  key: string
  amount: bigint
  max: bigint
  window_s: number
}

type Charged = {
  transaction?: Transaction
  chain?: bigint | undefined
  /** Undefined if the effect on tokens is unknown. */
  effect: Effect | undefined
}

type ChargesOf = (of: Charged) => readonly Charge[] | Mismatch

/** @throws {PolicyError} if the rule names a sum that does not exist, or that could not count what the rule allows */
export function compileCharges(rule: Rule, scope: Scope, path: string): ChargesOf {
  const names = rule.sums ?? []
  const sums = names.map((name, index) => {
    const where = `${path}.sums[${index}]`
    const sum = scope.sums.get(name)
    if (!sum) return refuse(where, `there is no sum ${name}; add it to sums`)
    if (names.indexOf(name) !== index) refuse(where, `${name} occurs twice; remove one`)
    requireCountable(rule, sum, where)
    return sum
  })
  const tokenSums = sums.filter(({ of }) => of === 'tokens')
  return (of) => {
    const isUncounted = tokenSums.length > 0 && uncounted(of, tokenSums, scope)
    if (isUncounted) return isUncounted
    const charges = sums.flatMap((sum) => chargesOf(sum, of, scope))
    if (charges.length > CHARGES_MAX)
      return {
        code: 'too_many_sums',
        reason: `it would add to ${charges.length} sums, more than ${CHARGES_MAX}`,
        step: STEP,
      }
    const over = charges.find(({ amount, max }) => amount > max)
    if (!over) return charges
    const reason = `it would add ${over.amount} to ${over.sum}, whose maximum is ${over.max}`
    return { code: 'over_sum', reason, step: STEP }
  }
}

function requireCountable(rule: Rule, { name, of }: SumDefinition, path: string): void {
  if (of === 'signatures') return
  const isNative = of !== 'tokens'
  if (isNative && rule.kind !== 'transaction')
    refuse(path, `${name} counts only transactions; use a sum of tokens or signatures`)
  if (isNative) return
  if (rule.kind !== 'transaction' && rule.kind !== 'typed_data')
    refuse(path, `${name} counts only transactions and typed data; use a sum of signatures`)
  if (rule.unlimited_approval)
    refuse(
      path,
      `${name} cannot bound unlimited approvals; allow them in a rule of their own without this sum`,
    )
  if (rule.unchecked_nested_calls || rule.delegate_call)
    refuse(path, `${name} cannot count nested calls; allow them in a rule of their own`)
}

function uncounted(
  { chain, effect }: Charged,
  sums: readonly SumDefinition[],
  scope: Scope,
): Mismatch | undefined {
  if (!effect)
    return {
      code: 'not_counted',
      reason: 'its effect on tokens is unknown, so no sum counts it',
      step: STEP,
    }
  for (const { token } of effect.movements) {
    const known = token === undefined ? undefined : scope.tokenAt(chain ?? 0n, token)
    if (!known || !sums.some(({ tokens }) => tokens!.includes(known.name)))
      return {
        code: 'not_counted',
        reason: `no sum of the rule counts the token ${token ?? 'without a contract'}`,
        step: STEP,
      }
  }
  return undefined
}

function chargesOf(sum: SumDefinition, of: Charged, scope: Scope): Charge[] {
  const { transaction, chain, effect } = of
  const { name, max, window_s, per_recipient } = sum
  const amounts = new Map<string, bigint>()
  const add = (parts: readonly (string | bigint)[], recipient: string, amount: bigint) => {
    if (amount === 0n) return
    const key = [name, ...parts, ...(per_recipient ? [recipient] : [])].join('/')
    amounts.set(key, (amounts.get(key) ?? 0n) + amount)
  }
  if (sum.of === 'signatures') add([], '', 1n)
  else if (sum.of === 'tokens')
    for (const movement of effect?.movements ?? []) {
      const token = scope.tokenAt(chain!, movement.token!)
      if (token && sum.tokens!.includes(token.name))
        add([chain!, token.address], movement.recipient, countOf(movement, token.standard))
    }
  else if (transaction) {
    const fee = sum.of === 'native_spend' ? maxFee(transaction) : 0n
    add([transaction.chainId], transaction.to ?? 'creation', transaction.value + fee)
  }
  return [...amounts].map(([key, amount]) => ({
    sum: name,
    key,
    amount,
    max: BigInt(max),
    window_s,
  }))
}

/** An ERC-721 token has no amount: `approve` and `transferFrom` have an ID instead. */
const countOf = ({ amount, standard }: Movement, ofToken: string | undefined) =>
  ofToken === 'erc721' && standard !== 'erc721' ? 1n : amount
