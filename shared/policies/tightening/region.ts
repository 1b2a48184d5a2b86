import { ZERO_ADDRESS } from '../address.ts'
import type { MessageRule, Rule, TransactionRule, TypedDataRule } from '../document.ts'
import { parseFunction } from '../function-signature.ts'
import { bytesOf } from '../message-rule.ts'
import type { Policy } from '../policy.ts'
import type { Scope } from '../scope.ts'
import { parseEncodedType } from '../struct-types.ts'
import { DEFAULT_TYPES } from '../transaction-rule.ts'
import { type Choice, except, only } from './choice.ts'
import { addressesOf, conditionFacts } from './condition-facts.ts'
import type { Fact } from './facts.ts'
import { type TimeCell, timeCells, timesChoice } from './time-cells.ts'

/**
 * The set of requests that a rule matches. They fulfill all facts of `frame` and `limits`, and for each list in
 * `unions`, all facts of at least one alternative.
 */
export type Region = {
  rule: Rule
  /** Facts that are checked before calldata is decoded. */
  frame: readonly Fact[]
  unions: readonly (readonly (readonly Fact[])[])[]
  /** Facts that are checked after calldata was decoded. */
  limits: readonly Fact[]
  /** Functions whose arguments the rule decodes. Undefined unless `calls` is a list. */
  functions: readonly NamedFunction[] | undefined
}

export type NamedFunction = {
  selector: string
  /** Undefined if the rule names only the selector. */
  canonical: string | undefined
}

/** Returns the region of each rule of both policies. Time windows are split into common cells, to compare them. */
export function regionsOf(from: Policy, to: Policy): { from: Region[]; to: Region[] } {
  const windows = [...from.document.rules, ...to.document.rules].flatMap(({ times = [] }) => times)
  const cells = timeCells(windows)
  const all = ({ document, scope }: Policy) =>
    document.rules.map((rule) => regionOf(rule, scope, cells))
  return { from: all(from), to: all(to) }
}

function regionOf(rule: Rule, scope: Scope, cells: readonly TimeCell[]): Region {
  const context = contextFacts(rule, cells)
  const { frame = [], ...others } = specificRegion(rule, scope)
  return { rule, limits: [], functions: undefined, ...others, frame: [...context, ...frame] }
}

function contextFacts({ actions, times }: Rule, cells: readonly TimeCell[]): Fact[] {
  const isDuring = times && timesChoice(times, cells)
  return [
    ...(actions ? [isOne('action', only(actions))] : []),
    ...(isDuring ? [isOne('time', isDuring)] : []),
  ]
}

const isOne = (place: string, choice: Choice): Fact => ({ place, kind: 'in', choice })

const isAtMost = (place: string, bound: string | undefined): Fact[] =>
  bound === undefined ? [] : [{ place, kind: 'lte', bound: BigInt(bound) }]

type Specific = Pick<Region, 'unions'> & Partial<Pick<Region, 'frame' | 'limits' | 'functions'>>

function specificRegion(rule: Rule, scope: Scope): Specific {
  switch (rule.kind) {
    case 'transaction':
      return transactionRegion(rule, scope)
    case 'typed_data':
      return typedDataRegion(rule, scope)
    case 'message':
      return { unions: [messageAlternatives(rule)] }
    case 'digest':
      return { unions: [] }
  }
}

function transactionRegion(rule: TransactionRule, { lists }: Scope): Specific {
  const { effect, chains, calls } = rule
  const frame = [
    isOne('chain', chains === 'any' ? except([]) : only(chains)),
    isOne('to', recipients(rule, lists)),
  ]
  const union = callAlternatives(rule, lists)
  const functions = Array.isArray(calls) ? calls.map(namedFunction) : undefined
  if (effect === 'deny') return { frame, unions: [union], functions }
  return {
    frame: [...frame, isOne('transaction type', only(rule.transaction_types ?? DEFAULT_TYPES))],
    unions: [union],
    limits: [
      ...isAtMost('value', rule.value_max ?? '0'),
      ...isAtMost('gas limit', rule.gas_limit_max),
      ...isAtMost('gas price', rule.gas_price_max),
      ...hazardFacts(rule),
    ],
    functions,
  }
}

/** Null stands for the creation of a contract. */
function recipients({ to, effect, zero_address }: TransactionRule, lists: Scope['lists']): Choice {
  if (to === 'creation') return only([null])
  if (to !== 'any') return only(to.flatMap((entry) => addressesOf(entry, lists)))
  if (effect === 'deny') return except([])
  return except(zero_address ? [null] : [null, ZERO_ADDRESS])
}

/** The selector is undefined for a call without data. */
function callAlternatives({ calls }: TransactionRule, lists: Scope['lists']): readonly Fact[][] {
  if (calls === 'any') return [[]]
  if (calls === 'none') return [[isOne('selector', only([undefined]))]]
  return calls.map((call) => {
    if ('selector' in call) return [isOne('selector', only([call.selector]))]
    const { selector, canonical, arguments: type } = parseFunction(call.function)
    return [
      isOne('selector', only([selector])),
      ...conditionFacts(call.conditions, type, lists, canonical),
    ]
  })
}

function namedFunction(call: Exclude<TransactionRule['calls'], string>[number]): NamedFunction {
  if ('selector' in call) return { selector: call.selector, canonical: undefined }
  const { selector, canonical } = parseFunction(call.function)
  return { selector, canonical }
}

const HAZARDS = [
  'unlimited_approval',
  'zero_address',
  'unchecked_nested_calls',
  'delegate_call',
] as const

/** Returns facts that exclude the effects for which the rule has no flag. */
const hazardFacts = (rule: TransactionRule | TypedDataRule) =>
  HAZARDS.filter((name) => !rule[name]).map((name) => isOne(name, only([false])))

function typedDataRegion(rule: TypedDataRule, { lists }: Scope): Specific {
  const { effect, types } = rule
  return {
    frame: [isOne('chain', domainChains(rule))],
    unions: [
      domainAlternatives(rule, lists),
      types === 'any'
        ? [[]]
        : types.map(({ type, conditions }) => [
            isOne('type', only([type])),
            ...conditionFacts(conditions, parseEncodedType(type), lists, type),
          ]),
    ],
    limits: effect === 'allow' ? hazardFacts(rule) : [],
  }
}

/** Undefined stands for a domain without a chain. */
function domainChains({ chains, effect, chainless_domain }: TypedDataRule): Choice {
  const isChainless = effect === 'deny' || chainless_domain
  if (chains === 'any') return except(isChainless ? [] : [undefined])
  return only(isChainless ? [...chains, undefined] : chains)
}

/** Undefined stands for an absent member. A rule that denies also matches domains in which a member is absent. */
function domainAlternatives({ domains, effect }: TypedDataRule, lists: Scope['lists']): Fact[][] {
  if (domains === 'any') return [[]]
  const absent = effect === 'deny' ? [undefined] : []
  return domains.map(({ name, version, verifying_contract: contract, salt }) => [
    ...(name === undefined ? [] : [isOne('domain name', only([name, ...absent]))]),
    ...(version === undefined ? [] : [isOne('domain version', only([version, ...absent]))]),
    ...(salt === undefined && effect === 'deny'
      ? []
      : [isOne('domain salt', only([salt, ...absent]))]),
    ...(contract === 'any'
      ? []
      : [
          isOne(
            'domain contract',
            only([...contract.flatMap((entry) => addressesOf(entry, lists)), ...absent]),
          ),
        ]),
  ])
}

function messageAlternatives({ messages, effect, binary }: MessageRule): Fact[][] {
  const place = 'message'
  const isText = (isAny: boolean): Fact[] =>
    effect === 'deny' || binary ? [] : [{ place, kind: 'text', isAny }]
  if (messages === 'any') return [isText(true)]
  return messages.map((entry) =>
    'equals' in entry
      ? [isOne(place, only([bytesOf(entry.equals)]))]
      : [{ place, kind: 'prefix', prefix: bytesOf(entry.prefix) }, ...isText(false)],
  )
}
