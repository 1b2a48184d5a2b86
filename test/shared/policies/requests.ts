/** Policies and requests of the tests. */
import { Interface } from 'ethers'
import type { Decision } from '../../../shared/policies/evaluate.ts'
import { evaluate } from '../../../shared/policies/evaluate.ts'
import type { PolicyContext } from '../../../shared/policies/mismatch.ts'
import { type Policy, parsePolicy } from '../../../shared/policies/policy.ts'

export const WALLET = '0x2222222222222222222222222222222222222222'
export const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
export const DAI = '0x6B175474E89094C44Da98b954EedeAC495271d0F'
export const PAYEE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
export const OTHER_PAYEE = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
export const THIEF = '0x90F79bf6EB2c4f870365E785982E1f101E93b906'
export const ZERO = `0x${'0'.repeat(40)}`
export const ACTION = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPBdG'

/** A Wednesday. */
export const NOON = Date.parse('2026-07-01T12:00:00Z')

/** Pays up to 100 USDC a day to two addresses. */
export const PAYROLL = {
  version: 1,
  tokens: [{ name: 'USDC', chain: 1, address: USDC, decimals: 6 }],
  lists: [{ name: 'payees', addresses: [PAYEE, OTHER_PAYEE] }],
  sums: [
    { name: 'USDC a day', of: 'tokens', tokens: ['USDC'], window_s: 86_400, max: '100000000' },
  ],
  rules: [
    {
      name: 'pay',
      effect: 'allow',
      kind: 'transaction',
      chains: [1],
      to: [USDC],
      calls: [
        {
          function: 'transfer(address to, uint256 amount)',
          conditions: [
            { path: 'to', in: ['@payees'] },
            { path: 'amount', lte: '50000000' },
          ],
        },
      ],
      gas_limit_max: '100000',
      gas_price_max: '100000000000',
      sums: ['USDC a day'],
    },
  ],
}

export const policyOf = (document: object): Policy => parsePolicy(JSON.stringify(document))

/** A policy with one rule, which allows what the members say. */
export const allowing = (rule: object, others: object = {}): Policy =>
  policyOf({ version: 1, ...others, rules: [{ name: 'rule', effect: 'allow', ...rule }] })

export function calldata(signature: string, values: readonly unknown[]): string {
  const coding = new Interface([`function ${signature}`])
  return coding.encodeFunctionData(coding.fragments[0]! as never, values)
}

export const transfer = (to: string, amount: bigint) =>
  calldata('transfer(address,uint256)', [to, amount])

export const TRANSACTION = {
  type: 2,
  chainId: 1,
  nonce: 0,
  to: USDC,
  data: transfer(PAYEE, 25_000_000n),
  gasLimit: '60000',
  maxFeePerGas: '30000000000',
  maxPriorityFeePerGas: '1000000000',
}

/** A transaction that `PAYROLL` allows, with changes. Members with the value undefined are removed. */
export const transaction = (changes: Record<string, unknown> = {}) => ({
  kind: 'transaction',
  transaction: { ...TRANSACTION, ...changes },
})

export const call = (signature: string, values: readonly unknown[], changes: object = {}) =>
  transaction({ data: calldata(signature, values), ...changes })

export const decide = (
  policy: Policy,
  request: unknown,
  context: Partial<PolicyContext> = {},
): Decision => evaluate(policy, request, { wallet: WALLET, action: ACTION, now: NOON, ...context })

/** `allow`, or the code of the denial. */
export function verdict(decision: Decision): string {
  return decision.decision === 'allow' ? 'allow' : decision.code
}

/** Encodes a number as a word of calldata, without 0x. */
export const word = (value: bigint | number) =>
  BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, '0')

export const addressWord = (address: string) => address.slice(2).toLowerCase().padStart(64, '0')

/** A call of `transfer` with this encoding of its arguments. */
export const transferOf = (...encoded: string[]) =>
  transaction({ data: `0xa9059cbb${encoded.join('')}` })
