import { type Charge, compileCharges } from './charges.ts'
import type { Rule } from './document.ts'
import { compileMessageRule } from './message-rule.ts'
import type { Match, MatchRule, Mismatch, PolicyContext, Subject } from './mismatch.ts'
import { refuse } from './policy-error.ts'
import type { Scope } from './scope.ts'
import { compileTimes } from './times.ts'
import { compileTransactionRule } from './transaction-rule.ts'
import { compileTypedDataRule } from './typed-data-rule.ts'

export type CompiledRule = {
  rule: Rule
  match(this: void, subject: Subject, context: PolicyContext): Match | Mismatch
  charges(this: void, subject: Subject, match: Match): readonly Charge[] | Mismatch
}

/** @throws {PolicyError} with the path of what is wrong */
export function compileRule(rule: Rule, scope: Scope, path: string): CompiledRule {
  if (rule.effect === 'deny') requireNoLimits(rule, path)
  const common = compileCommon(rule, path)
  const specific = compileSpecific(rule, scope, path)
  const charges = compileCharges(rule, scope, path)
  return {
    rule,
    match: (subject, context) => common(context) ?? specific(subject, context),
    charges: (subject, { effect }) =>
      charges({
        effect,
        chain: chainOf(subject),
        ...(subject.kind === 'transaction' && { transaction: subject.transaction }),
      }),
  }
}

function compileSpecific(rule: Rule, scope: Scope, path: string): MatchRule {
  switch (rule.kind) {
    case 'transaction':
      return compileTransactionRule(rule, scope, path)
    case 'typed_data':
      return compileTypedDataRule(rule, scope, path)
    case 'message':
      return compileMessageRule(rule)
    case 'digest':
      return () => ({ effect: undefined })
  }
}

function chainOf(subject: Subject): bigint | undefined {
  if (subject.kind === 'transaction') return subject.transaction.chainId
  return subject.kind === 'typed_data' ? subject.typedData.domain.chainId : undefined
}

/** Members that limit what a rule allows. In a rule that denies, they could be understood either way. */
const LIMITS = [
  'sums',
  'value_max',
  'gas_limit_max',
  'gas_price_max',
  'transaction_types',
  'unlimited_approval',
  'zero_address',
  'unchecked_nested_calls',
  'delegate_call',
  'chainless_domain',
  'binary',
]

function requireNoLimits(rule: Rule, path: string): void {
  const limit = LIMITS.find((name) => Reflect.get(rule, name) !== undefined)
  if (limit !== undefined)
    refuse(`${path}.${limit}`, 'only rules with the effect allow have limits; remove the member')
}

function compileCommon(
  { actions, times }: Rule,
  path: string,
): (context: PolicyContext) => Mismatch | undefined {
  const isInTime = times && compileTimes(times, `${path}.times`)
  return ({ action, now }) => {
    if (actions && (action === null || !actions.includes(action)))
      return {
        step: 1,
        code: 'action_not_allowed',
        reason: `the action ${action ?? '(none)'} is not named`,
      }
    if (isInTime && !isInTime(now))
      return { step: 2, code: 'outside_hours', reason: 'it is outside of the times' }
    return undefined
  }
}
