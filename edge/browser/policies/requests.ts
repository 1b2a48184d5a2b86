/** Builds requests for simulated signatures (docs/policies.md#requests). */
import type { PolicyDocument, TokenDefinition } from '../../../shared/policies/document.ts'
import { encodeArguments } from '../../../shared/policies/encode-arguments.ts'
import { parseFunction } from '../../../shared/policies/function-signature.ts'
import { parseAmount } from './amounts.ts'
import { USDC_DECIMALS, USDC_DEPLOYMENTS } from './deployments.ts'
import { addressProblem, COIN_DECIMALS } from './templates.ts'

export const REQUESTS = [
  { name: 'tokens', title: 'Send tokens (ERC-20)' },
  { name: 'coin', title: 'Send native coin' },
  { name: 'message', title: 'Sign a message' },
  { name: 'typed_data', title: 'Sign typed data' },
] as const
export type RequestName = (typeof REQUESTS)[number]['name']

/** Values of the fields of all kinds of requests, as typed by the user. */
export type RequestFields = {
  chain: string
  tokenAddress: string
  decimals: string
  to: string
  amount: string
  message: string
}
export type RequestField = keyof RequestFields

/** Suggests a request that suits the first rule, with the first token and recipient of the policy. */
export function initialRequest(document: PolicyDocument | undefined): {
  name: RequestName
  fields: RequestFields
} {
  const { tokens = [], lists = [], rules = [] } = document ?? {}
  const token: Pick<TokenDefinition, 'chain' | 'address' | 'decimals'> = tokens[0] ?? {
    ...USDC_DEPLOYMENTS[0]!,
    decimals: USDC_DECIMALS,
  }
  const [rule] = rules
  const ofRule =
    rule?.kind === 'transaction' && Array.isArray(rule.to)
      ? rule.to.find((to) => !to.startsWith('@'))
      : undefined
  const kind = rule?.kind
  const name = kind === 'message' || kind === 'typed_data' ? kind : tokens[0] ? 'tokens' : 'coin'
  return {
    name,
    fields: {
      chain: String(chainOf(rule) ?? token.chain),
      tokenAddress: token.address,
      decimals: String(token.decimals ?? 0),
      to: lists[0]?.addresses[0] ?? ofRule ?? '',
      amount: '1',
      message: 'Hello',
    },
  }
}

const chainOf = (rule: PolicyDocument['rules'][number] | undefined) =>
  rule && 'chains' in rule && rule.chains !== 'any' ? rule.chains[0] : undefined

export type GeneratedRequest =
  | { request: object }
  | { errors: Partial<Record<RequestField, string>> }

export function generateRequest(name: RequestName, fields: RequestFields): GeneratedRequest {
  const errors: Partial<Record<RequestField, string>> = {}
  const chain = Number(fields.chain)
  const decimals = name === 'coin' ? COIN_DECIMALS : Number(fields.decimals)
  const amount = parseAmount(fields.amount, Number.isInteger(decimals) ? decimals : 0)
  if (name === 'tokens' || name === 'coin') {
    if (!Number.isSafeInteger(chain) || chain < 1)
      errors.chain = 'Expected a chain ID such as 8453.'
    const [recipient] = [addressProblem(fields.to.trim())]
    if (recipient !== undefined) errors.to = recipient
    if (amount === undefined)
      errors.amount = `Expected an amount such as 100 or 0.5, with at most ${decimals} decimals.`
  }
  if (name === 'tokens') {
    const token = addressProblem(fields.tokenAddress.trim())
    if (token !== undefined) errors.tokenAddress = token
    if (!/^\d{1,2}$/.test(fields.decimals)) errors.decimals = 'Expected a number from 0 to 77.'
  }
  if (Object.keys(errors).length > 0) return { errors }
  return { request: GENERATORS[name](fields, chain, amount ?? '0') }
}

const GENERATORS: Record<
  RequestName,
  (fields: RequestFields, chain: number, amount: string) => object
> = {
  coin: ({ to }, chainId, value) => ({
    kind: 'transaction',
    transaction: { type: 2, chainId, nonce: 0, to: to.trim(), value, gasLimit: '21000', ...FEES },
  }),
  tokens: ({ to, tokenAddress }, chainId, amount) => ({
    kind: 'transaction',
    transaction: {
      type: 2,
      chainId,
      nonce: 0,
      to: tokenAddress.trim(),
      data: transferData(to.trim(), amount),
      gasLimit: '60000',
      ...FEES,
    },
  }),
  message: ({ message }) => ({ kind: 'message', message }),
  typed_data: (_fields, chainId) => ({
    kind: 'typed_data',
    domain: { name: 'Example', version: '1', chainId, verifyingContract: ZERO },
    types: {
      Order: [
        { name: 'maker', type: 'address' },
        { name: 'amount', type: 'uint256' },
      ],
    },
    value: { maker: ZERO, amount: '1' },
  }),
}

const FEES = { maxFeePerGas: '2000000000', maxPriorityFeePerGas: '1000000000' }
const ZERO = `0x${'0'.repeat(40)}`

function transferData(to: string, amount: string): string {
  const transfer = parseFunction('transfer(address to, uint256 amount)')
  const types = transfer.arguments.members.map(({ type }) => type)
  return transfer.selector + encodeArguments(types, [to.toLowerCase(), BigInt(amount)])
}
