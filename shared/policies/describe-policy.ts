/** Describes a policy in words. */
import type { Condition, PolicyDocument, Rule, SumDefinition } from './document.ts'
import { cut, plural } from './words.ts'

export type PolicyDescription = {
  /** One sentence or more for each rule, in the order in which they are checked. */
  rules: readonly string[]
  sums: readonly string[]
  /** Facts about the whole policy. */
  general: readonly string[]
  /** Gaps that the author may have overlooked. */
  warnings: readonly string[]
}

export function describePolicy(document: PolicyDocument): PolicyDescription {
  const { rules, sums = [], change_delay_s: delay, immutable } = document
  return {
    rules: rules.map(ruleWords),
    sums: sums.map((sum) => sumWords(sum)),
    general: [
      'Requests that no rule allows are denied. The first rule that matches decides.',
      ...(delay === undefined
        ? []
        : [`Changes that loosen the policy take effect after ${durationWords(delay)}.`]),
      ...(immutable ? ['The policy can never be changed.'] : []),
    ],
    warnings: rules.flatMap((rule) => warningsOf(rule, sums)),
  }
}

function ruleWords(rule: Rule): string {
  const { name, effect, actions, times, sums } = rule
  return [
    `${name}: ${effect === 'allow' ? 'allows' : 'denies'} ${objectWords(rule)}`,
    ...(actions ? [`requested by ${actions.join(' or ')}`] : []),
    ...(times ? [`at ${times.map(timeWords).join(' or ')}`] : []),
    ...(sums ? [`counted by ${sums.join(', ')}`] : []),
  ].join('; ')
}

function objectWords(rule: Rule): string {
  switch (rule.kind) {
    case 'transaction':
      return transactionWords(rule)
    case 'typed_data':
      return typedDataWords(rule)
    case 'message':
      return rule.messages === 'any'
        ? `any message${rule.binary ? ', also of bytes' : ''}`
        : `messages that ${rule.messages
            .map((entry) =>
              'equals' in entry
                ? `are ${JSON.stringify(entry.equals)}`
                : `start with ${JSON.stringify(entry.prefix)}`,
            )
            .join(' or ')}`
    case 'digest':
      return 'any digest, whose meaning cannot be checked'
  }
}

function transactionWords(rule: Extract<Rule, { kind: 'transaction' }>): string {
  const { chains, to, calls, effect } = rule
  const called =
    calls === 'any'
      ? ['with any data']
      : calls === 'none'
        ? ['without data']
        : [
            `that call ${calls
              .map((call) =>
                'function' in call
                  ? `${call.function}${conditionsWords(call.conditions)}`
                  : `the function ${call.selector} with any arguments`,
              )
              .join(' or ')}`,
          ]
  const limits =
    effect === 'deny'
      ? []
      : [
          rule.value_max === undefined || rule.value_max === '0'
            ? 'with no native value'
            : `with at most ${rule.value_max} wei`,
          ...(rule.gas_limit_max === undefined ? [] : [`at most ${rule.gas_limit_max} gas`]),
          ...(rule.gas_price_max === undefined
            ? []
            : [`at most ${rule.gas_price_max} wei per gas`]),
          ...(rule.transaction_types ? [`of the types ${rule.transaction_types.join(', ')}`] : []),
          ...flagWords(rule),
        ]
  const recipients =
    to === 'creation'
      ? 'that create a contract'
      : `to ${to === 'any' ? 'any address' : to.join(', ')}`
  const object = ['transactions', chainWords(chains), recipients, ...called].join(' ')
  return [object, ...limits].join(', ')
}

function typedDataWords(rule: Extract<Rule, { kind: 'typed_data' }>): string {
  const { chains, domains, types } = rule
  const types_ =
    types === 'any'
      ? 'of any type'
      : `of the type ${types
          .map(({ type, conditions }) => `${cut(type)}${conditionsWords(conditions)}`)
          .join(' or ')}`
  const domainWords =
    domains === 'any'
      ? 'for any domain'
      : `for ${domains
          .map(({ name, version, verifying_contract: contract, salt }) =>
            [
              name === undefined ? 'any name' : JSON.stringify(name),
              ...(version === undefined ? [] : [`version ${JSON.stringify(version)}`]),
              `at ${contract === 'any' ? 'any contract' : contract.join(' or ')}`,
              ...(salt === undefined ? [] : [`with the salt ${salt}`]),
            ].join(' '),
          )
          .join(' or ')}`
  const chainless = rule.chainless_domain ? ' or without a chain' : ''
  return [
    'typed data',
    `${chainWords(chains)}${chainless}`,
    types_,
    domainWords,
    ...flagWords(rule),
  ].join(' ')
}

const chainWords = (chains: 'any' | readonly number[]) =>
  chains === 'any'
    ? 'on any chain'
    : `on ${chains.length === 1 ? 'chain' : 'the chains'} ${chains.join(', ')}`

function flagWords(rule: {
  unlimited_approval?: true | undefined
  zero_address?: true | undefined
  unchecked_nested_calls?: true | undefined
  delegate_call?: true | undefined
}): string[] {
  const named = [
    ...(rule.unlimited_approval ? ['unlimited approvals'] : []),
    ...(rule.zero_address ? ['the zero address'] : []),
    ...(rule.unchecked_nested_calls ? ['nested calls, which are not checked'] : []),
    ...(rule.delegate_call ? ['delegate calls'] : []),
  ]
  return named.length === 0 ? [] : [`including ${named.join(' and ')}`]
}

function conditionsWords(conditions: readonly Condition[] | undefined): string {
  return conditions ? ` where ${conditions.map(conditionWords).join(' and ')}` : ''
}

function conditionWords(condition: Condition): string {
  const { path, eq, in: options, lte, gte, prefix, every, some } = condition
  const checks = [
    ...(eq === undefined ? [] : [`is ${String(eq)}`]),
    ...(options ? [`is one of ${cut(options.map(String).join(', '))}`] : []),
    ...(lte === undefined ? [] : [`is at most ${lte}`]),
    ...(gte === undefined ? [] : [`is at least ${gte}`]),
    ...(prefix === undefined ? [] : [`starts with ${JSON.stringify(prefix)}`]),
    ...(every ? [`has only elements where ${every.map(conditionWords).join(' and ')}`] : []),
    ...(some ? [`has an element where ${some.map(conditionWords).join(' and ')}`] : []),
  ]
  return `${path ?? 'it'} ${checks.join(' and ')}`
}

function timeWords({ weekdays, from = '00:00', to = '24:00' }: NonNullable<Rule['times']>[number]) {
  return `${from} to ${to} UTC${weekdays ? ` on ${weekdays.join(', ')}` : ''}`
}

const COUNTED = {
  native_spend: 'native value and the highest possible fees',
  native_value: 'native value',
  tokens: 'tokens',
  signatures: 'signatures',
} as const

function sumWords({ name, of, tokens, per_recipient, window_s, max }: SumDefinition): string {
  const unit = of === 'tokens' ? 'units' : of === 'signatures' ? 'signatures' : 'wei'
  const each = of === 'tokens' ? 'each token' : of === 'signatures' ? '' : 'each chain'
  const per = [each, ...(per_recipient ? ['each recipient'] : [])].filter((text) => text !== '')
  return `${name}: at most ${max} ${unit} of ${tokens ? tokens.join(', ') : COUNTED[of]} in ${durationWords(window_s)}${
    per.length === 0 ? '' : `, for ${per.join(' and ')}`
  }`
}

export function durationWords(seconds: number): string {
  for (const [unit, length] of [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
  ] as const)
    if (seconds % length === 0) return plural(seconds / length, unit)
  return plural(seconds, 'second')
}

function warningsOf(rule: Rule, sums: readonly SumDefinition[]): string[] {
  if (rule.effect === 'deny') return []
  const counted = sums.filter(({ name }) => rule.sums?.includes(name))
  const countsFees = counted.some(({ of }) => of === 'native_spend')
  if (rule.kind === 'digest')
    return [
      `${rule.name}: a digest can be that of any transaction, so this rule allows everything.`,
    ]
  if (rule.kind !== 'transaction') return []
  const hasFeeLimit = rule.gas_limit_max !== undefined && rule.gas_price_max !== undefined
  return [
    ...(hasFeeLimit || countsFees
      ? []
      : [
          `${rule.name}: fees are not limited, so a requester can burn the wallet's balance; add gas_limit_max and gas_price_max, or a sum of native_spend.`,
        ]),
    ...(rule.calls === 'any' && rule.to === 'any'
      ? [`${rule.name}: any function of any contract is allowed.`]
      : []),
  ]
}
