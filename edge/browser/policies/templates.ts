/** Policy templates. Each one describes a form with text fields, and generates a document from them. */
import { hasValidCase } from '../../../shared/policies/address.ts'
import type { PolicyDocument } from '../../../shared/policies/document.ts'
import { parseAmount } from './amounts.ts'
import { USDC_DECIMALS, USDC_DEPLOYMENTS } from './deployments.ts'

export const TEMPLATES = [
  { name: 'payments', title: 'USDC payments up to a daily limit' },
  { name: 'contract', title: 'Calls of one contract' },
  { name: 'orders', title: 'Orders of one domain (typed data)' },
  { name: 'empty', title: 'Empty: nothing is allowed' },
] as const
export type TemplateName = (typeof TEMPLATES)[number]['name']

/** Values of the fields of all templates, as typed by the user. */
export type TemplateFields = {
  chain: string
  token: string
  tokenAddress: string
  decimals: string
  perDay: string
  recipients: string
  contract: string
  functions: string
  value: string
  gasPrice: string
  domain: string
  verifyingContract: string
  type: string
  changes: keyof typeof CHANGES
}
export type FieldName = keyof TemplateFields

const FIRST = USDC_DEPLOYMENTS[0]!

export const INITIAL_FIELDS: TemplateFields = {
  chain: String(FIRST.chain),
  token: 'USDC',
  tokenAddress: FIRST.address,
  decimals: String(USDC_DECIMALS),
  perDay: '100',
  recipients: '',
  contract: '',
  functions: 'deposit(uint256 amount)\nwithdraw(uint256 amount)',
  value: '0',
  gasPrice: FIRST.gasPriceGwei,
  domain: '',
  verifyingContract: '',
  type: 'Order(address maker,address taker,uint256 amount,uint256 expiry)',
  changes: 'day',
}

/** When changes that loosen the policy take effect. */
export const CHANGES = {
  once: { title: 'At once', members: {} },
  hour: { title: 'After 1 hour', members: { change_delay_s: 3_600 } },
  day: { title: 'After 1 day', members: { change_delay_s: 86_400 } },
  week: { title: 'After 7 days', members: { change_delay_s: 604_800 } },
  never: { title: 'Never: the policy can never be changed', members: { immutable: true } },
} as const

type Document = Pick<PolicyDocument, 'version' | 'rules'> & Partial<PolicyDocument>

export type Generated =
  | { document: Document }
  /** Errors by field. */
  | { errors: Partial<Record<FieldName, string>> }

export function generatePolicy(template: TemplateName, fields: TemplateFields): Generated {
  const reader = new FieldReader(fields)
  const document: Document = {
    version: 1,
    ...CHANGES[fields.changes].members,
    ...GENERATORS[template](reader),
  }
  return Object.keys(reader.errors).length > 0 ? { errors: reader.errors } : { document }
}

const DAY_S = 86_400
const TRANSFER = 'transfer(address to, uint256 amount)'
/** Transfers of tokens with hooks take up to 80,000 gas. */
const TRANSFER_GAS = '100000'
const CALL_GAS = '1000000'

type Members = Omit<Document, 'version'>

const GENERATORS: Record<TemplateName, (fields: FieldReader) => Members> = {
  payments: (fields) => {
    const [chain, address] = [fields.chain(), fields.address('tokenAddress')]
    const [name, decimals] = [fields.tokenName(), fields.decimals()]
    const sum = `${name} a day`
    return {
      tokens: [{ name, chain, address, decimals }],
      lists: [{ name: 'recipients', addresses: fields.addresses('recipients') }],
      sums: [
        {
          name: sum,
          of: 'tokens',
          tokens: [name],
          window_s: DAY_S,
          max: fields.amount('perDay', decimals),
        },
      ],
      rules: [
        {
          name: 'pay recipients',
          effect: 'allow',
          kind: 'transaction',
          chains: [chain],
          to: [address],
          calls: [{ function: TRANSFER, conditions: [{ path: 'to', in: ['@recipients'] }] }],
          gas_limit_max: TRANSFER_GAS,
          gas_price_max: fields.amount('gasPrice', GWEI_DECIMALS),
          sums: [sum],
        },
      ],
    }
  },
  contract: (fields) => {
    const value = fields.amount('value', COIN_DECIMALS)
    return {
      rules: [
        {
          name: 'call the contract',
          effect: 'allow',
          kind: 'transaction',
          chains: [fields.chain()],
          to: [fields.address('contract')],
          calls: fields.lines('functions').map((signature) => ({ function: signature })),
          ...(value !== '0' && { value_max: value }),
          gas_limit_max: CALL_GAS,
          gas_price_max: fields.amount('gasPrice', GWEI_DECIMALS),
        },
      ],
    }
  },
  orders: (fields) => {
    const name = fields.text('domain')
    return {
      rules: [
        {
          name: 'sign orders',
          effect: 'allow',
          kind: 'typed_data',
          chains: [fields.chain()],
          domains: [
            {
              ...(name !== '' && { name }),
              verifying_contract: [fields.address('verifyingContract')],
            },
          ],
          types: [{ type: fields.required('type') }],
        },
      ],
    }
  },
  // A policy must have a rule. This one has no effect, because digests are denied by default.
  empty: () => ({ rules: [{ name: 'deny digests', effect: 'deny', kind: 'digest' }] }),
}

export const GWEI_DECIMALS = 9
export const COIN_DECIMALS = 18
const DECIMALS_MAX = 77

/** Reads fields and collects errors. Returns a placeholder for an invalid field, so that all errors are found. */
class FieldReader {
  readonly errors: Partial<Record<FieldName, string>> = {}
  readonly #fields: TemplateFields

  constructor(fields: TemplateFields) {
    this.#fields = fields
  }

  text(name: FieldName): string {
    return this.#fields[name].trim()
  }

  required(name: FieldName): string {
    const text = this.text(name)
    if (text === '') this.errors[name] = 'Required.'
    return text
  }

  lines(name: FieldName): string[] {
    return this.required(name)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
  }

  chain(): number {
    const text = this.required('chain')
    const isChain = /^[1-9]\d{0,15}$/.test(text) && Number.isSafeInteger(Number(text))
    if (text !== '' && !isChain) this.errors.chain = 'Expected a chain ID such as 8453.'
    return Number(text)
  }

  tokenName(): string {
    const text = this.required('token')
    if (text !== '' && !/^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,30}[A-Za-z0-9])?$/.test(text))
      this.errors.token = 'Expected at most 32 letters, digits and _ . -'
    return text
  }

  decimals(): number {
    const text = this.required('decimals')
    const decimals = Number(text)
    if (text !== '' && !(/^\d{1,2}$/.test(text) && decimals <= DECIMALS_MAX))
      this.errors.decimals = `Expected a number from 0 to ${DECIMALS_MAX}.`
    return this.errors.decimals === undefined ? decimals : DECIMALS_MAX
  }

  amount(name: FieldName, decimals: number): string {
    const text = this.required(name)
    const amount = parseAmount(text, decimals)
    if (text !== '' && amount === undefined)
      this.errors[name] =
        `Expected an amount such as 100 or 0.5, with at most ${decimals} decimals.`
    return amount ?? '0'
  }

  address(name: FieldName): string {
    const text = this.required(name)
    const problem = text === '' ? undefined : addressProblem(text)
    if (problem !== undefined) this.errors[name] = problem
    return text
  }

  addresses(name: FieldName): string[] {
    const lines = this.lines(name)
    for (const [index, line] of lines.entries()) {
      const isTwice =
        lines.findIndex((other) => other.toLowerCase() === line.toLowerCase()) !== index
      const problem = isTwice ? 'The address occurs twice.' : addressProblem(line)
      if (problem === undefined) continue
      this.errors[name] = lines.length === 1 ? problem : `Line ${index + 1}: ${problem}`
      break
    }
    return lines
  }
}

export function addressProblem(address: string): string | undefined {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address))
    return 'Invalid address: expected 0x followed by 40 hex digits.'
  if (!hasValidCase(address)) return 'Invalid checksum: check the address for typing errors.'
  return undefined
}

/** Returns true if an address has no checksum, so that typing errors cannot be detected. */
export const lacksChecksum = (text: string): boolean =>
  /^0x[0-9a-f]*[a-f][0-9a-f]*$/m.test(text.replace(/[ \t\r]/g, ''))
