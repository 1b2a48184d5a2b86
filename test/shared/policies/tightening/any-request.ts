import { Interface } from 'ethers'
import type { Random } from '../../../origin/credits/simulation/random.ts'
import type { PolicyContext } from '../../../../shared/policies/mismatch.ts'
import { ACTION, PAYEE, WALLET } from '../requests.ts'
import {
  ADDRESSES,
  type Json,
  NUMBERS,
  ORDER,
  OTHER_ACTION,
  PERMIT,
  SIGNATURES,
} from './any-policy.ts'

/** A wallet whose address the policies' lists contain, too. */
const LISTED_WALLET = PAYEE

const TIMES = ['01T07:00', '01T09:00', '01T12:15', '04T12:15', '04T20:00'].map((time) =>
  Date.parse(`2026-07-${time}:00Z`),
)

export const anyContext = (random: Random): PolicyContext => ({
  wallet: random.chance(0.8) ? WALLET : LISTED_WALLET,
  action: random.pick([null, ACTION, ACTION, OTHER_ACTION]),
  now: random.pick(TIMES),
})

/** Returns a request that often matches the rules of a policy. */
export function anyRequest(random: Random, policy: Json): Json {
  const rule = random.pick<Json>(policy.rules)
  switch (rule.kind) {
    case 'transaction':
      return anyTransaction(random, rule)
    case 'typed_data':
      return anyTypedData(random, rule)
    case 'message':
      return anyMessage(random)
    default:
      return { kind: 'digest', digest: `0x${'22'.repeat(32)}` }
  }
}

/** Returns one of the values that a rule names, or of all values. */
const near = <Value>(random: Random, named: unknown, all: readonly Value[]): Value =>
  Array.isArray(named) && random.chance(0.8) ? (random.pick(named) as Value) : random.pick(all)

const nearAddress = (random: Random, named: unknown): string => {
  const address = near(random, named, ADDRESSES)
  return address.startsWith('@') ? random.pick(ADDRESSES) : address
}

function anyTransaction(random: Random, rule: Json): Json {
  const type = random.pick([0, 2, 2])
  const price = random.pick(['0', '1', '5', '5', '6', '11'])
  return {
    kind: 'transaction',
    transaction: {
      type,
      chainId: near(random, rule.chains, [1, 1, 5, 7]),
      nonce: 0,
      to: rule.to === 'creation' || random.chance(0.05) ? null : nearAddress(random, rule.to),
      value: random.chance(0.7) ? '0' : random.pick(NUMBERS.slice(0, 7)),
      data: anyData(random, rule.calls),
      gasLimit: random.pick(['0', '5', '5', '6', '11']),
      ...(type === 0 ? { gasPrice: price } : { maxFeePerGas: price, maxPriorityFeePerGas: '0' }),
    },
  }
}

const coding = new Interface(SIGNATURES.map((signature) => `function ${signature}`))

/** Calldata of all functions, by the values of the arguments. */
const encoded = new Map<string, string>()

function anyData(random: Random, calls: Json): string {
  if (random.chance(calls === 'none' ? 0.8 : 0.1)) return '0x'
  if (random.chance(0.06)) return random.pick(['0xa9', '0x50f8f3', '0x12345678', '0x50f8f305'])
  const named = near<Json>(random, calls, [{}]).function as string | undefined
  const signature = named ?? random.pick(SIGNATURES)
  const values = coding.getFunction(signature)!.inputs.map(({ type }) => anyValue(random, type))
  const key = JSON.stringify([signature, values])
  const data = encoded.get(key) ?? coding.encodeFunctionData(signature, values)
  encoded.set(key, data)
  if (random.chance(0.9)) return data
  return random.pick([`${data}00`, data.slice(0, -2), `${data.slice(0, 10)}ff${data.slice(12)}`])
}

function anyValue(random: Random, type: string): Json {
  switch (type) {
    case 'address':
      return random.pick(ADDRESSES)
    case 'bool':
      return random.chance(0.5)
    case 'uint256':
      return random.pick(NUMBERS)
    case 'bytes[]':
      return []
    case 'address[]':
      return Array.from({ length: random.integer(0, 2) }, () => random.pick(ADDRESSES))
    default:
      throw new TypeError(type)
  }
}

function anyTypedData(random: Random, rule: Json): Json {
  const isPermit =
    near<Json>(random, rule.types, [{ type: PERMIT }, { type: ORDER }]).type === PERMIT
  const domain = near<Json>(random, rule.domains, [{}])
  return {
    kind: 'typed_data',
    domain: {
      ...(random.chance(0.8) && { name: domain.name ?? random.pick(['USD', 'Market']) }),
      ...(random.chance(0.7) && { version: random.pick(['1', '1', '2']) }),
      ...(random.chance(0.8) && { chainId: near(random, rule.chains, [1, 5]) }),
      ...(random.chance(0.8) && {
        verifyingContract: nearAddress(random, domain.verifying_contract),
      }),
      ...(random.chance(domain.salt ? 0.7 : 0.1) && {
        salt: `0x${random.pick(['11', '11', '22']).repeat(32)}`,
      }),
    },
    ...(isPermit ? permit(random) : order(random)),
  }
}

const permit = (random: Random): Json => ({
  types: {
    Permit: [
      { name: 'owner', type: 'address' },
      { name: 'spender', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'nonce', type: 'uint256' },
      { name: 'deadline', type: 'uint256' },
    ],
  },
  value: {
    owner: WALLET,
    spender: random.pick(ADDRESSES),
    value: random.pick(NUMBERS),
    nonce: 0,
    deadline: 0,
  },
})

const order = (random: Random): Json => ({
  types: {
    Order: [
      { name: 'maker', type: 'address' },
      { name: 'amount', type: 'uint256' },
    ],
  },
  value: { maker: random.pick(ADDRESSES), amount: random.pick(NUMBERS) },
})

const TEXTS = [
  'Log in to example.com as me',
  'Log in to example.com as me\u0007',
  'Log in to another.site',
  'Log in\u0000',
  'Log in\u0000 and more',
  'Log in to example.com, 32 bytes!',
  'x'.repeat(32),
  'anything',
]

const anyMessage = (random: Random): Json =>
  random.chance(0.9)
    ? { kind: 'message', message: random.pick(TEXTS) }
    : {
        kind: 'message',
        bytes: random.pick([`0x${'33'.repeat(32)}`, '0xff', '0x4c6f6720696e20746f20ff']),
      }
