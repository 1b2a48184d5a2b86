import type { Random } from '../../../origin/credits/simulation/random.ts'
import {
  ADDRESSES,
  anyCall,
  anyDomain,
  anyMessage,
  anyRule,
  anySum,
  anyTime,
  anyType,
  type Json,
  NUMBERS,
} from './any-policy.ts'

/** Returns a changed copy of a policy, which is not always valid. */
export function anyChange(random: Random, policy: Json): Json {
  const changed = structuredClone(policy)
  const changes = random.integer(1, 2)
  for (let change = 0; change < changes; change++) random.pick(CHANGES)(random, changed)
  return changed
}

type Change = (random: Random, policy: Json) => void

const CHANGES: readonly Change[] = [
  changeEntry,
  changeEntry,
  changeEntry,
  changeNumber,
  changeFlag,
  changeRules,
  changeRules,
  changeSums,
  changeSums,
  (random, policy) => {
    policy.change_delay_s = random.pick([undefined, 1, 60, 3_600])
  },
  (random, policy) => {
    policy.immutable = random.pick([undefined, true])
  },
  (random, policy) => {
    const [list] = policy.lists
    if (random.chance(0.6)) remove(random, list.addresses)
    else list.addresses.push(random.pick(ADDRESSES))
  },
  (random, policy) => {
    const token = random.pick<Json>(policy.tokens)
    token.standard = token.standard ? undefined : 'erc721'
  },
  (random, policy) => {
    const rule = random.pick<Json>(policy.rules)
    rule.times = rule.times && random.chance(0.3) ? undefined : [anyTime(random)]
  },
]

function remove(random: Random, items: Json[]): void {
  items.splice(random.integer(0, items.length - 1), 1)
}

/** Removes or adds an entry of a list anywhere in a rule. */
function changeEntry(random: Random, policy: Json): void {
  const rule = random.pick<Json>(policy.rules)
  const lists: { items: Json[]; add: () => Json }[] = []
  const visit = (items: unknown, add: () => Json) => {
    if (Array.isArray(items)) lists.push({ items, add })
  }
  visit(rule.chains, () => random.pick([1, 5]))
  visit(rule.to, () => random.pick(ADDRESSES))
  visit(rule.calls, () => anyCall(random))
  visit(rule.types, () => anyType(random))
  visit(rule.domains, () => anyDomain(random))
  visit(rule.messages, () => anyMessage(random))
  visit(rule.actions, () => undefined)
  visit(rule.sums, () => random.pick(['A', 'B']))
  visit(rule.transaction_types, () => random.pick([0, 1, 2]))
  for (const owner of [...entries(rule.calls), ...entries(rule.types)]) {
    visit(owner.conditions, () => random.pick(entries(anyCall(random).conditions)))
    for (const condition of entries(owner.conditions))
      visit(condition.in, () => random.pick(ADDRESSES))
  }
  for (const domain of entries(rule.domains))
    visit(domain.verifying_contract, () => random.pick(ADDRESSES))
  if (lists.length === 0) return
  const { items, add } = random.pick(lists)
  if (random.chance(0.6)) remove(random, items)
  else {
    const added = add()
    if (added !== undefined) items.push(added)
  }
}

const entries = (value: unknown): Json[] => (Array.isArray(value) ? value : [])

function changeNumber(random: Random, policy: Json): void {
  const rule = random.pick<Json>(policy.rules)
  const conditions = [...entries(rule.calls), ...entries(rule.types)].flatMap(
    (entry) => entry.conditions ?? [],
  )
  const places: [Json, string][] = [
    ...['value_max', 'gas_limit_max', 'gas_price_max'].map((name): [Json, string] => [rule, name]),
    ...conditions.flatMap((condition): [Json, string][] =>
      ['lte', 'gte', 'eq']
        .filter((name) => condition[name] !== undefined)
        .map((name) => [condition, name]),
    ),
    [random.pick(policy.sums), 'max'],
  ]
  const [owner, name] = random.pick(places)
  owner[name] = random.pick(NUMBERS.slice(0, 7))
}

function changeFlag(random: Random, policy: Json): void {
  const rule = random.pick<Json>(policy.rules)
  const name = random.pick([
    'unlimited_approval',
    'zero_address',
    'unchecked_nested_calls',
    'chainless_domain',
    'binary',
  ])
  rule[name] = rule[name] ? undefined : true
}

function changeRules(random: Random, policy: Json): void {
  const { rules } = policy
  const at = random.integer(0, rules.length - 1)
  const change = random.integer(0, 3)
  if (change === 0 && rules.length > 1) rules.splice(at, 1)
  else if (change === 1) rules.splice(at, 0, anyRule(random, 'added'))
  else if (change === 2) rules.push(rules.splice(at, 1)[0])
  // A narrower copy in front of a rule.
  else rules.splice(at, 0, { ...structuredClone(rules[at]), name: 'copy', chains: [1] })
}

function changeSums(random: Random, policy: Json): void {
  const rule = random.pick<Json>(policy.rules)
  const change = random.integer(0, 5)
  if (change === 0) rule.sums = random.pick([undefined, ['A'], ['B'], ['A', 'B']])
  else if (change === 1) policy.sums[0] = anySum(random, 'A')
  else if (change === 2)
    policy.sums[0].per_recipient = policy.sums[0].per_recipient ? undefined : true
  else if (change === 3)
    policy.sums[0].of = random.pick(['native_spend', 'native_value', 'signatures'])
  else {
    const sum = random.pick<Json>(policy.sums)
    if (sum.tokens && change === 4) remove(random, sum.tokens)
    else if (sum.tokens) sum.tokens.push(random.pick(['USDC', 'payee', 'NFT']))
  }
}
