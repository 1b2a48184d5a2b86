/** Changes by name: those that have to be recognized as tightening, and loosenings that must not be. */
import { describe, expect, it } from 'vitest'
import { isTightening } from '../../../../shared/policies/is-tightening.ts'
import {
  ACTION,
  decide,
  OTHER_PAYEE,
  PAYEE,
  PAYROLL,
  policyOf,
  THIEF,
  transaction,
  transfer,
  USDC,
  WALLET,
  ZERO,
} from '../requests.ts'
import { COLLIDING, NFT, OTHER_ACTION, PERMIT } from './any-policy.ts'

type Json = any

/** Name of the change, and both documents. A loosening can have a request that only the new policy allows. */
type Change = [name: string, from: Json, to: Json, witness?: Json]

const policy = (rules: Json[], others: Json = {}): Json => ({
  version: 1,
  ...others,
  rules: rules.map((rule, index) => ({ name: `rule ${index}`, effect: 'allow', ...rule })),
})

const TRANSFER = { function: 'transfer(address to, uint256 amount)' }
const calls = { kind: 'transaction', chains: [1, 10], to: [USDC, PAYEE], calls: [TRANSFER] }
const anything = { kind: 'transaction', chains: 'any', to: 'any', calls: 'any' }
const denies = { ...calls, effect: 'deny' }
const permits = { kind: 'typed_data', chains: [1], domains: 'any', types: [{ type: PERMIT }] }
const messages = { kind: 'message', messages: [{ prefix: 'Log in to ' }] }
const texts = { kind: 'message', messages: 'any' }

const payroll = (change: (document: Json) => void): Json => {
  const document = structuredClone(PAYROLL)
  change(document)
  return document
}

const where = (...conditions: Json[]) => ({ ...calls, calls: [{ ...TRANSFER, conditions }] })

/** Changes of the first of two policies with one rule each. */
const one = (name: string, from: Json, to: Json): Change => [name, policy([from]), policy([to])]

const TOKENS = [
  { name: 'USDC', chain: 1, address: USDC },
  { name: 'other', chain: 1, address: PAYEE },
]
const SUM = { name: 'A', of: 'tokens', tokens: ['USDC'], window_s: 60, max: '10' }
const NATIVE = { name: 'A', of: 'native_value', window_s: 60, max: '10' }

/** Both policies have the rules of `calls`, counted by the sum A. */
const sums = (name: string, from: Json, to: Json): Change => [
  name,
  policy([{ ...calls, sums: ['A'] }], { tokens: TOKENS, sums: [from].flat() }),
  policy([{ ...calls, sums: [to].flat().map((sum: Json) => sum.name) }], {
    tokens: TOKENS,
    sums: [to].flat(),
  }),
]

const PAY = { ...calls, calls: [{ function: 'pay(uint256)' }] }
/** `pay(uint256)` with a missing byte. */
const MALFORMED = `0xc290d691${'00'.repeat(31)}`
const counted = { sums: ['S'] }
const S = { sums: [{ name: 'S', of: 'signatures', window_s: 60, max: '5' }] }
const COLLISION = `0x50f8f305${'00'.repeat(32)}`
const INIT_CODE = '0xa9059cbb'

const TIGHTENINGS: Change[] = [
  ['no change', PAYROLL, PAYROLL],
  ['a lower maximum of a sum', PAYROLL, payroll(({ sums: [sum] }) => (sum.max = '1'))],
  ['a longer delay', policy([calls]), policy([calls], { change_delay_s: 60 })],
  ['another name', policy([calls]), policy([calls], { name: 'Payments' })],
  ['an address less in a list', PAYROLL, payroll(({ lists: [list] }) => list.addresses.pop())],
  [
    'a lower bound of an argument',
    PAYROLL,
    payroll(({ rules: [rule] }) => (rule.calls[0].conditions[1].lte = '5')),
  ],
  [
    'a condition more',
    PAYROLL,
    payroll(({ rules: [rule] }) => rule.calls[0].conditions.push({ path: 'amount', gte: '1' })),
  ],
  ['a token with other decimals', PAYROLL, payroll(({ tokens: [token] }) => (token.decimals = 2))],
  one('a lower native value', { ...calls, value_max: '9' }, { ...calls, value_max: '8' }),
  one('no native value', { ...calls, value_max: '9' }, calls),
  one('a gas limit', calls, { ...calls, gas_limit_max: '9' }),
  one('a lower gas price', { ...calls, gas_price_max: '9' }, { ...calls, gas_price_max: '8' }),
  one('a contract less', calls, { ...calls, to: [USDC] }),
  one('a chain less', calls, { ...calls, chains: [1] }),
  one('a list of chains instead of any', anything, { ...anything, chains: [1] }),
  one('contracts instead of any', anything, { ...anything, to: [USDC] }),
  one('functions instead of any', anything, { ...anything, calls: [TRANSFER] }),
  one('no data instead of any', anything, { ...anything, calls: 'none' }),
  one(
    'a function instead of its selector',
    { ...calls, calls: [{ selector: '0xa9059cbb' }] },
    calls,
  ),
  one('a transaction type less', calls, { ...calls, transaction_types: [2] }),
  one('a flag less', { ...calls, unlimited_approval: true }, calls),
  one('an action', calls, { ...calls, actions: [ACTION] }),
  one(
    'an action less',
    { ...calls, actions: [ACTION, OTHER_ACTION] },
    { ...calls, actions: [ACTION] },
  ),
  one('times', calls, { ...calls, times: [{ from: '09:00' }] }),
  one(
    'narrower times in other windows',
    { ...calls, times: [{ from: '08:00', to: '18:00' }] },
    {
      ...calls,
      times: [
        { weekdays: ['mon'], from: '09:00', to: '12:00' },
        { from: '12:00', to: '13:00' },
      ],
    },
  ),
  one(
    'an equal value instead of a bound',
    where({ path: '1', lte: '9' }),
    where({ path: '1', eq: '9' }),
  ),
  one('other names of arguments', where({ path: 'amount', lte: '9' }), {
    ...calls,
    calls: [{ function: 'transfer(address a, uint256 b)', conditions: [{ path: 'b', lte: '9' }] }],
  }),
  one(
    'an address of a list that it names',
    where({ path: 'to', in: [PAYEE, '@wallet'] }),
    where({ path: 'to', in: ['@wallet'] }),
  ),
  one('a type less', { ...permits, types: 'any' }, permits),
  one('a domain', permits, { ...permits, domains: [{ verifying_contract: [USDC] }] }),
  one('a chain of the domain', { ...permits, chainless_domain: true }, permits),
  one(
    'a version of the domain',
    { ...permits, domains: [{ name: 'USD', verifying_contract: 'any' }] },
    { ...permits, domains: [{ name: 'USD', version: '1', verifying_contract: [USDC] }] },
  ),
  one('a longer prefix of messages', messages, {
    ...messages,
    messages: [{ prefix: 'Log in to my app' }],
  }),
  one('a message instead of a prefix', messages, {
    ...messages,
    messages: [{ equals: 'Log in to my app' }],
  }),
  one('no binary messages', { ...messages, binary: true }, messages),
  ['a rule less', policy([calls, permits]), policy([calls])],
  [
    'a rule less, which denied nothing that others allow',
    policy([{ ...denies, to: [NFT] }, calls]),
    policy([calls]),
  ],
  ['a rule that denies more', policy([anything]), policy([denies, anything])],
  [
    'a rule that denies, before another one',
    policy([denies, anything]),
    policy([{ ...denies, to: [USDC, PAYEE, NFT] }, anything]),
  ],
  [
    'two rules instead of one',
    policy([calls]),
    policy([
      { ...calls, to: [USDC] },
      { ...calls, to: [PAYEE], value_max: '0' },
    ]),
  ],
  [
    'a narrower rule before a disjoint one with another sum',
    policy(
      [{ ...where({ path: 'to', eq: PAYEE }), ...counted }, where({ path: 'to', eq: THIEF })],
      S,
    ),
    policy(
      [
        { ...where({ path: 'to', eq: PAYEE }, { path: '1', lte: '5' }), ...counted },
        where({ path: 'to', eq: THIEF }),
      ],
      S,
    ),
  ],
  [
    'a narrower rule before a catch-all with the same sum',
    policy(
      [
        { ...calls, ...counted },
        { ...anything, ...counted },
      ],
      S,
    ),
    policy(
      [
        { ...calls, calls: [{ ...TRANSFER, conditions: [{ path: '1', lte: '5' }] }], ...counted },
        { ...anything, ...counted },
      ],
      S,
    ),
  ],
  sums('the sum of a rule that had none', [NATIVE], [NATIVE, { ...S.sums[0]! }]),
  sums('fees in a sum of native value', NATIVE, { ...NATIVE, of: 'native_spend' }),
  sums('a token less in a sum', { ...SUM, tokens: ['USDC', 'other'] }, SUM),
]

const LOOSENINGS: Change[] = [
  ['a higher maximum of a sum', PAYROLL, payroll(({ sums: [sum] }) => (sum.max = '100000001'))],
  ['a shorter delay', policy([calls], { change_delay_s: 60 }), policy([calls])],
  ['no longer immutable', policy([calls], { immutable: true }), policy([calls])],
  [
    'freeze: immutable, which a thief of the account key could otherwise do at once',
    policy([calls]),
    policy([calls], { immutable: true }),
  ],
  [
    'an address more in a list',
    PAYROLL,
    payroll(({ lists: [list] }) => list.addresses.push(THIEF)),
    transaction({ data: transfer(THIEF, 1n) }),
  ],
  [
    'a rule without its sum',
    PAYROLL,
    payroll(({ rules: [rule] }) => delete rule.sums),
    transaction(),
  ],
  [
    'a renamed sum, which begins at zero',
    PAYROLL,
    payroll(({ rules: [rule], sums: [sum] }) => (rule.sums = [(sum.name = 'new')])),
    transaction(),
  ],
  ['a rule more', policy([calls]), policy([calls, permits])],
  one('a higher native value', calls, { ...calls, value_max: '1' }),
  one('no gas limit', { ...calls, gas_limit_max: '9' }, calls),
  one('a contract more', { ...calls, to: [USDC] }, calls),
  one('a chain more', { ...calls, chains: [1] }, calls),
  one('a flag more', calls, { ...calls, unchecked_nested_calls: true }),
  one('another action', { ...calls, actions: [ACTION] }, { ...calls, actions: [OTHER_ACTION] }),
  one(
    'a weekday more',
    { ...calls, times: [{ weekdays: ['mon'] }] },
    { ...calls, times: [{ weekdays: ['mon', 'tue'] }] },
  ),
  one(
    'a minute more',
    { ...calls, times: [{ from: '09:00' }] },
    { ...calls, times: [{ from: '08:59' }] },
  ),
  one('contract creations instead of calls', anything, { ...anything, to: 'creation' }),
  one('the zero address by name instead of any', anything, { ...anything, to: [ZERO] }),
  one('a blob transaction', calls, { ...calls, transaction_types: [2, 3] }),
  one('a selector instead of its function: data that is not canonical', PAY, {
    ...calls,
    calls: [{ selector: '0xc290d691' }],
  }),
  one('a condition less', where({ path: '1', lte: '9' }), calls),
  one('another argument', where({ path: '1', lte: '9' }), where({ path: '0', eq: PAYEE })),
  one(
    'a bound that is lower by one',
    where({ path: '1', gte: '9' }),
    where({ path: '1', gte: '8' }),
  ),
  one(
    'a fixed address instead of @wallet',
    where({ path: 'to', in: ['@wallet'] }),
    where({ path: 'to', in: [WALLET] }),
  ),
  one(
    '@wallet instead of a fixed address',
    where({ path: 'to', in: [WALLET] }),
    where({ path: 'to', in: ['@wallet'] }),
  ),
  ...someAndEvery(),
  one('a chainless domain', permits, { ...permits, chainless_domain: true }),
  one('another type with the same name', permits, {
    ...permits,
    types: [
      { type: 'Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)' },
    ],
  }),
  one(
    'a domain without a name',
    { ...permits, domains: [{ name: 'USD', verifying_contract: 'any' }] },
    permits,
  ),
  one(
    'a salt',
    { ...permits, domains: [{ verifying_contract: 'any' }] },
    { ...permits, domains: [{ verifying_contract: 'any', salt: `0x${'11'.repeat(32)}` }] },
  ),
  one(
    'a shorter prefix of messages',
    { ...messages, messages: [{ prefix: 'Log in to my app' }] },
    messages,
  ),
  one('binary messages', messages, { ...messages, binary: true }),
  [
    'messages of 32 bytes with a prefix',
    policy([texts]),
    policy([messages]),
    { kind: 'message', message: 'Log in to another host, 32 bytes' },
  ],
  [
    'a message with control characters by its text',
    policy([messages]),
    policy([{ ...messages, messages: [{ equals: 'Log in to \u0007' }] }]),
    { kind: 'message', message: 'Log in to \u0007' },
  ],
  // The first match decides.
  ['rules that deny, less', policy([denies, anything]), policy([anything]), transaction()],
  [
    'rules that deny, for fewer contracts',
    policy([denies, anything]),
    policy([{ ...denies, to: [PAYEE] }, anything]),
    transaction(),
  ],
  [
    'rules that deny, with a shorter list',
    policy([{ ...denies, to: ['@list'] }, anything], {
      lists: [{ name: 'list', addresses: [USDC, PAYEE] }],
    }),
    policy([{ ...denies, to: ['@list'] }, anything], {
      lists: [{ name: 'list', addresses: [PAYEE] }],
    }),
    transaction(),
  ],
  [
    'rules that deny, with a condition',
    policy([denies, anything]),
    policy([
      { ...denies, calls: [{ ...TRANSFER, conditions: [{ path: '1', eq: '0' }] }] },
      anything,
    ]),
    transaction(),
  ],
  [
    'rules that deny, after the one that allows',
    policy([denies, anything]),
    policy([anything, denies]),
    transaction(),
  ],
  [
    'a rule that denies creations, less',
    policy([
      { ...denies, to: 'any' },
      { ...anything, to: 'creation' },
    ]),
    policy([
      { ...denies, to: [USDC] },
      { ...anything, to: 'creation' },
    ]),
    transaction({ to: null, data: INIT_CODE }),
  ],
  [
    'a rule that denies domains without a name, less',
    policy([
      { ...permits, effect: 'deny', domains: [{ name: 'USD', verifying_contract: [USDC] }] },
      permits,
    ]),
    policy([permits]),
    permit({ chainId: 1 }),
  ],
  [
    'a rule that denies domains without a chain, less',
    policy([
      { ...permits, effect: 'deny', chains: [5] },
      { ...permits, chainless_domain: true },
    ]),
    policy([{ ...permits, chainless_domain: true }]),
    permit({}),
  ],
  [
    'a rule that denies domains without a salt, less',
    policy([
      {
        ...permits,
        effect: 'deny',
        domains: [{ verifying_contract: 'any', salt: `0x${'11'.repeat(32)}` }],
      },
      { ...permits, domains: [{ verifying_contract: 'any' }] },
    ]),
    policy([{ ...permits, domains: [{ verifying_contract: 'any' }] }]),
    permit({ chainId: 1, verifyingContract: USDC }),
  ],
  [
    'a rule that denies all salts, for one salt',
    policy([
      { ...permits, effect: 'deny', domains: [{ verifying_contract: [USDC] }] },
      { ...permits, domains: 'any' },
    ]),
    policy([
      {
        ...permits,
        effect: 'deny',
        domains: [{ verifying_contract: [USDC], salt: `0x${'11'.repeat(32)}` }],
      },
      { ...permits, domains: 'any' },
    ]),
    permit({ chainId: 1, salt: `0x${'22'.repeat(32)}`, verifyingContract: USDC }),
  ],
  [
    'a narrower rule before one without the sum',
    policy([{ ...calls, ...counted }, calls], S),
    policy([{ ...calls, gas_limit_max: '1', ...counted }, calls], S),
    transaction(),
  ],
  [
    'a rule with a sum less, before one without it',
    policy([{ ...calls, ...counted }, anything], S),
    policy([anything], S),
    transaction(),
  ],
  [
    'a later rule first, which has no sum',
    policy([{ ...calls, ...counted }, calls], S),
    policy([calls, { ...calls, ...counted }], S),
    transaction(),
  ],
  [
    'a function less, whose malformed data reaches "any"',
    policy([PAY, anything]),
    policy([anything]),
    transaction({ data: MALFORMED }),
  ],
  [
    'a function less, whose malformed data reaches its selector',
    policy([PAY, { ...calls, calls: [{ selector: '0xc290d691' }] }]),
    policy([{ ...calls, calls: [{ selector: '0xc290d691' }] }]),
    transaction({ data: MALFORMED }),
  ],
  [
    'a function for fewer contracts, whose malformed data reaches "any"',
    policy([PAY, anything]),
    policy([{ ...PAY, to: [PAYEE] }, anything]),
    transaction({ data: MALFORMED }),
  ],
  [
    'another function of the same selector',
    policy([{ ...calls, calls: [{ function: COLLIDING[1] }] }, anything]),
    policy([{ ...calls, calls: [{ function: COLLIDING[0] }] }, anything]),
    transaction({ data: COLLISION }),
  ],
  [
    'a selector instead of a function, before "any"',
    policy([{ ...PAY, gas_limit_max: '1' }, anything]),
    policy([{ ...calls, calls: [{ selector: '0xc290d691' }], gas_limit_max: '1' }, anything]),
    transaction({ data: MALFORMED }),
  ],
  [
    'data shorter than a selector, which reaches "any"',
    policy([PAY, anything]),
    policy([{ ...PAY, calls: 'none' }, anything]),
    transaction({ data: '0xc2' }),
  ],
  [
    'a contract less, for which data shorter than a selector reaches "any"',
    policy([calls, anything]),
    policy([{ ...calls, to: [PAYEE] }, anything]),
    transaction({ data: '0xa9' }),
  ],
  [
    'a function less, whose data another function of the same selector decodes',
    policy([
      { ...calls, calls: [{ function: COLLIDING[1] }] },
      { ...calls, calls: [{ function: COLLIDING[0] }] },
    ]),
    policy([{ ...calls, calls: [{ function: COLLIDING[0] }] }]),
    transaction({ data: COLLISION }),
  ],
  [
    'a rule that denies another function of the same selector, instead of one that decodes',
    policy([{ ...calls, calls: [{ function: COLLIDING[1] }] }, anything]),
    policy([
      { ...denies, calls: [{ function: COLLIDING[0], conditions: [{ path: '0', eq: '7' }] }] },
      anything,
    ]),
    transaction({ data: COLLISION }),
  ],
  [
    'conditions on another function of the same selector',
    policy([
      { ...calls, calls: [{ function: COLLIDING[1], conditions: [{ path: '0', eq: ZERO }] }] },
    ]),
    policy([
      { ...calls, calls: [{ function: COLLIDING[0], conditions: [{ path: '0', eq: '0' }] }] },
    ]),
    transaction({ data: COLLISION }),
  ],
  [
    'rules for @wallet and for an address, which can be the same',
    policy(
      [
        { ...calls, to: ['@wallet'], ...counted },
        { ...calls, to: [USDC, PAYEE] },
      ],
      S,
    ),
    policy([{ ...calls, to: [USDC, PAYEE] }], S),
  ],
  [
    'rules for an address and for @wallet, which can be the same',
    policy(
      [
        { ...calls, to: [USDC, PAYEE], ...counted },
        { ...calls, to: ['@wallet'] },
      ],
      S,
    ),
    policy([{ ...calls, to: ['@wallet'] }], S),
  ],
  [
    'an over_sum that was final, and is not any more',
    policy([{ ...calls, sums: ['A'] }, anything], {
      sums: [{ ...S.sums[0]!, name: 'A', max: '0' }],
    }),
    policy([{ ...calls, gas_limit_max: '1', sums: ['A'] }, anything], {
      sums: [{ ...S.sums[0]!, name: 'A', max: '0' }],
    }),
    transaction(),
  ],
  // Sums
  sums('a shorter window', NATIVE, { ...NATIVE, window_s: 61 }),
  sums('a longer window, which begins at zero', { ...NATIVE, window_s: 61 }, NATIVE),
  sums('a sum for each recipient', NATIVE, { ...NATIVE, per_recipient: true }),
  sums(
    'one sum for all recipients, which begins at zero',
    { ...NATIVE, per_recipient: true },
    NATIVE,
  ),
  sums('a sum without fees', { ...NATIVE, of: 'native_spend' }, NATIVE),
  sums('a sum of something else', NATIVE, { ...S.sums[0]!, name: 'A' }),
  sums('a token more in a sum', SUM, { ...SUM, tokens: ['USDC', 'other'] }),
  sums('a sum more, which counts another token', SUM, [
    SUM,
    { ...SUM, name: 'B', tokens: ['other'] },
  ]),
  sums('a token in another sum', { ...SUM, tokens: ['USDC', 'other'] }, [
    SUM,
    { ...SUM, name: 'B', tokens: ['other'] },
  ]),
  [
    'the address of a token',
    policy([{ ...calls, sums: ['A'] }], { tokens: [TOKENS[0]], sums: [SUM] }),
    policy([{ ...calls, sums: ['A'] }], {
      tokens: [{ ...TOKENS[0], address: PAYEE }],
      sums: [SUM],
    }),
  ],
  [
    'a token that counts as one',
    policy([{ ...calls, sums: ['A'] }], { tokens: [TOKENS[0]], sums: [SUM] }),
    policy([{ ...calls, sums: ['A'] }], {
      tokens: [{ ...TOKENS[0], standard: 'erc721' }],
      sums: [SUM],
    }),
    transaction({ data: transfer(PAYEE, 25n) }),
  ],
  [
    'a token whose IDs are not unlimited approvals',
    policy([anything]),
    policy([anything], { tokens: [{ name: 'NFT', chain: 1, address: USDC, standard: 'erc721' }] }),
    transaction({
      data: `0x095ea7b3${'00'.repeat(12)}${PAYEE.slice(2).toLowerCase()}${'ff'.repeat(32)}`,
    }),
  ],
]

function permit(domain: object): Json {
  const type = (list: string) =>
    list.split(',').map((member) => ({ type: member.split(' ')[0], name: member.split(' ')[1] }))
  const [, members] = /\((.*)\)/.exec(PERMIT)!
  const value = { owner: WALLET, spender: PAYEE, value: '1', nonce: '0', deadline: '0' }
  const types = { Permit: type(members!) }
  return { kind: 'typed_data', domain, types, value }
}

function someAndEvery(): Change[] {
  const batch = (conditions: Json[]) => ({
    ...calls,
    calls: [{ function: 'batch(address[] list)', conditions }],
  })
  const is = (address: string) => [{ eq: address }]
  return [
    one(
      'some elements instead of all',
      batch([{ path: 'list', every: is(PAYEE) }]),
      batch([{ path: 'list', some: is(PAYEE) }]),
    ),
    [
      'rules for some elements, which both match',
      policy(
        [
          { ...batch([{ path: 'list', some: is(PAYEE) }]), ...counted },
          batch([{ path: 'list', some: is(OTHER_PAYEE) }]),
        ],
        S,
      ),
      policy([batch([{ path: 'list', some: is(OTHER_PAYEE) }])], S),
    ],
    [
      'rules whose bounds meet',
      policy(
        [{ ...where({ path: '1', lte: '5' }), ...counted }, where({ path: '1', gte: '5' })],
        S,
      ),
      policy([where({ path: '1', gte: '5' })], S),
      transaction({ data: transfer(PAYEE, 5n) }),
    ],
    [
      'rules whose bounds meet, in the other order',
      policy(
        [{ ...where({ path: '1', gte: '5' }), ...counted }, where({ path: '1', lte: '5' })],
        S,
      ),
      policy([where({ path: '1', lte: '5' })], S),
      transaction({ data: transfer(PAYEE, 5n) }),
    ],
  ]
}

describe('a tightening takes effect at once', () => {
  it.each(TIGHTENINGS)('%s', (_, from, to) => {
    expect(isTightening(policyOf(from), policyOf(to))).toBe(true)
  })
})

describe('a loosening waits', () => {
  it.each(LOOSENINGS)('%s', (_, from, to, witness) => {
    const [before, after] = [policyOf(from), policyOf(to)]
    expect(isTightening(before, after)).toBe(false)
    if (witness === undefined) return
    const [old, decision] = [decide(before, witness), decide(after, witness)]
    expect(decision, 'the request shows no loosening').toMatchObject({ decision: 'allow' })
    if (old.decision === 'allow' && decision.decision === 'allow')
      expect(decision.charges).not.toEqual(old.charges)
  })
})

it('gives up on documents that would take hours to compare', () => {
  const entries = Array.from({ length: 64 }, () => ({ selector: '0x12345678' }))
  const rules = Array.from({ length: 30 }, () => ({ ...calls, calls: entries }))
  expect(isTightening(policyOf(policy(rules)), policyOf(policy(rules.slice(1))))).toBe(false)
})
