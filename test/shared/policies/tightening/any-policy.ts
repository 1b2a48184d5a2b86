/** Random policies from few names and numbers, so that rules overlap and requests match several of them. */
import type { Random } from '../../../origin/credits/simulation/random.ts'
import { ACTION, PAYEE, USDC, WALLET, ZERO } from '../requests.ts'

export const OTHER_ACTION = 'QmXoypizjW3WknFiJnKLwHCnL72vedxjQkDDP1mXWo6uco'
export const NFT = '0xbc4ca0eda7647a8ab7c2061c2e118a18a936f13d'

/** Two functions with different arguments, and the same selector. */
export const COLLIDING = ['set5317(uint256)', 'put68431(address,bool)'] as const

export const SIGNATURES = [
  'transfer(address,uint256)',
  'approve(address,uint256)',
  'setApprovalForAll(address,bool)',
  'multicall(bytes[])',
  'pay(address[],uint256)',
  ...COLLIDING,
] as const

export const PERMIT =
  'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)'
export const ORDER = 'Order(address maker,uint256 amount)'

export const ADDRESSES = [USDC, NFT, PAYEE, WALLET, ZERO].map((address) => address.toLowerCase())
export const NUMBERS = ['0', '4', '5', '10', '11', '20', '21', String(2n ** 255n)]
export const PREFIXES = ['Log in to ', 'Log in to example.com', 'Log in\u0000']

export type Json = any

const CONTRACTS = ['@list', '@wallet', ...ADDRESSES]

/** Returns a document, which is not always valid. */
export function anyPolicy(random: Random): Json {
  return {
    version: 1,
    ...(random.chance(0.3) && { change_delay_s: random.pick([1, 60, 3_600]) }),
    ...(random.chance(0.1) && { immutable: true }),
    tokens: [
      { name: 'USDC', chain: 1, address: USDC },
      { name: 'payee', chain: 1, address: PAYEE },
      { name: 'NFT', chain: 1, address: NFT, ...(random.chance(0.5) && { standard: 'erc721' }) },
    ],
    lists: [{ name: 'list', addresses: some(random, ADDRESSES, 3) }],
    sums: ['A', 'B'].map((name) => anySum(random, name)),
    rules: anyRules(random),
  }
}

/** Most rules are variants of the first one, so that they overlap. */
function anyRules(random: Random): Json[] {
  const model = anyRule(random, 'rule 0')
  const others = Array.from({ length: random.integer(0, 3) }, (_, index) => {
    const name = `rule ${index + 1}`
    if (random.chance(0.3)) return anyRule(random, name)
    const other = anyRuleOf(random, name, model.kind, random.chance(0.7) ? 'allow' : 'deny')
    const kept = TARGETS.filter((member) => member in other && random.chance(0.6))
    return { ...other, ...Object.fromEntries(kept.map((member) => [member, model[member]])) }
  })
  return structuredClone([model, ...others])
}

/** Members that both effects have. */
const TARGETS = ['chains', 'to', 'calls', 'domains', 'types', 'messages']

export function anySum(random: Random, name: string): Json {
  const of = random.pick(['native_spend', 'native_value', 'tokens', 'tokens', 'signatures'])
  return {
    name,
    of,
    ...(of === 'tokens' && { tokens: some(random, ['USDC', 'payee', 'NFT'], 3) }),
    ...(of !== 'signatures' && random.chance(0.2) && { per_recipient: true }),
    window_s: random.pick([60, 60, 60, 120]),
    max: random.pick(['5', '10', '1000000000000']),
  }
}

export function anyRule(random: Random, name: string): Json {
  const kind = random.pick([...KINDS, 'transaction', 'transaction', 'transaction', 'typed_data'])
  return anyRuleOf(random, name, kind, random.chance(0.7) ? 'allow' : 'deny')
}

const KINDS = ['transaction', 'typed_data', 'message', 'digest']

function anyRuleOf(random: Random, name: string, kind: string, effect: string): Json {
  const rule = {
    name,
    effect,
    kind,
    ...(random.chance(0.15) && { actions: some(random, [ACTION, OTHER_ACTION], 2) }),
    ...(random.chance(0.15) && { times: [anyTime(random)] }),
  }
  const limits = effect === 'allow' ? anyLimits(random, kind) : {}
  return { ...rule, ...anyTarget(random, kind), ...limits }
}

export function anyTime(random: Random): Json {
  return {
    ...(random.chance(0.5) && { weekdays: some(random, ['mon', 'wed', 'sat'], 2) }),
    ...(random.chance(0.7) && { from: random.pick(['00:00', '08:00', '12:00']) }),
    ...(random.chance(0.7) && { to: random.pick(['12:30', '18:00', '24:00']) }),
  }
}

function anyTarget(random: Random, kind: string): Json {
  const chains = random.chance(0.4) ? 'any' : some(random, [1, 5], 2)
  switch (kind) {
    case 'transaction': {
      const to = random.chance(0.1) ? 'creation' : anyContracts(random)
      return { chains, to, calls: to === 'creation' ? 'any' : anyCalls(random) }
    }
    case 'typed_data':
      return {
        chains,
        domains: random.chance(0.4) ? 'any' : several(random, 2, () => anyDomain(random)),
        types: random.chance(0.2) ? 'any' : several(random, 2, () => anyType(random)),
      }
    case 'message':
      return { messages: random.chance(0.3) ? 'any' : several(random, 2, () => anyMessage(random)) }
    default:
      return {}
  }
}

const anyContracts = (random: Random): Json =>
  random.chance(0.3) ? 'any' : some(random, CONTRACTS, 4)

function anyCalls(random: Random): Json {
  if (random.chance(0.3)) return random.pick(['any', 'any', 'none'])
  return several(random, 3, () => anyCall(random))
}

export function anyCall(random: Random): Json {
  if (random.chance(0.15))
    return { selector: random.pick(['0xa9059cbb', '0x50f8f305', '0xac9650d8', '0x12345678']) }
  const signature = random.pick(SIGNATURES)
  return {
    function: signature,
    ...(random.chance(0.6) && { conditions: several(random, 2, () => anyArgument(random)) }),
  }
}

/** A condition on arguments of `SIGNATURES`. */
function anyArgument(random: Random): Json {
  if (random.chance(0.15))
    return {
      path: '0',
      [random.pick(['every', 'some'])]: [anyAddressCheck(random)],
    }
  return random.chance(0.5)
    ? { path: '0', ...anyAddressCheck(random) }
    : { path: random.pick(['0', '1']), ...anyNumberCheck(random) }
}

const anyAddressCheck = (random: Random): Json =>
  random.chance(0.3) ? { eq: random.pick(ADDRESSES) } : { in: some(random, CONTRACTS, 4) }

function anyNumberCheck(random: Random): Json {
  if (random.chance(0.2)) return { eq: random.pick(NUMBERS) }
  if (random.chance(0.2)) return { in: some(random, NUMBERS, 3) }
  return {
    lte: random.pick(['5', '10', '20']),
    ...(random.chance(0.3) && { gte: random.pick(['4', '10']) }),
  }
}

export const anyDomain = (random: Random): Json => ({
  ...(random.chance(0.4) && { name: random.pick(['USD', 'Market']) }),
  ...(random.chance(0.2) && { version: '1' }),
  verifying_contract: anyContracts(random),
  ...(random.chance(0.2) && { salt: `0x${'11'.repeat(32)}` }),
})

export function anyType(random: Random): Json {
  const type = random.pick([PERMIT, ORDER])
  return {
    type,
    ...(random.chance(0.6) && {
      conditions: [
        random.chance(0.5)
          ? { path: type === PERMIT ? 'spender' : 'maker', ...anyAddressCheck(random) }
          : { path: type === PERMIT ? 'value' : 'amount', ...anyNumberCheck(random) },
      ],
    }),
  }
}

export const anyMessage = (random: Random): Json =>
  random.chance(0.5)
    ? { prefix: random.pick(PREFIXES) }
    : { equals: random.pick(['Log in to example.com as me', 'Log in\u0000', 'x'.repeat(32)]) }

function anyLimits(random: Random, kind: string): Json {
  const sums = random.chance(0.5) && { sums: some(random, ['A', 'B'], 2) }
  const flag = (name: string) => random.chance(0.2) && { [name]: true }
  const hazards = {
    ...flag('unlimited_approval'),
    ...flag('zero_address'),
    ...flag('unchecked_nested_calls'),
    ...flag('delegate_call'),
  }
  switch (kind) {
    case 'transaction':
      return {
        ...sums,
        ...hazards,
        ...(random.chance(0.6) && { value_max: random.pick(['5', '10', '20']) }),
        ...(random.chance(0.4) && { gas_limit_max: random.pick(['5', '10']) }),
        ...(random.chance(0.4) && { gas_price_max: random.pick(['5', '10']) }),
        ...(random.chance(0.2) && { transaction_types: some(random, [0, 1, 2], 3) }),
      }
    case 'typed_data':
      return { ...sums, ...hazards, ...flag('chainless_domain') }
    case 'message':
      return { ...sums, ...flag('binary') }
    default:
      return { ...sums }
  }
}

/** Returns some of the items, at least one. */
export function some<Item>(random: Random, items: readonly Item[], max: number): Item[] {
  const rest = [...items]
  return several(
    random,
    Math.min(max, items.length),
    () => rest.splice(random.integer(0, rest.length - 1), 1)[0]!,
  )
}

function several<Item>(random: Random, max: number, make: () => Item): Item[] {
  return Array.from({ length: random.integer(1, max) }, make)
}
