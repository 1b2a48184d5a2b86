import { getAddress, Interface } from 'ethers'
import { describe, expect, it } from 'vitest'
import { formatAmount, parseAmount } from '../../edge/browser/policies/amounts.ts'
import { USDC_DEPLOYMENTS } from '../../edge/browser/policies/deployments.ts'
import { formatDocument } from '../../edge/browser/policies/format-document.ts'
import {
  generateRequest,
  initialRequest,
  type RequestFields,
} from '../../edge/browser/policies/requests.ts'
import { simulateDraft } from '../../edge/browser/policies/simulate-draft.ts'
import {
  generatePolicy,
  INITIAL_FIELDS,
  lacksChecksum,
  type TemplateFields,
  type TemplateName,
} from '../../edge/browser/policies/templates.ts'
import { describePolicy } from '../../shared/policies/describe-policy.ts'
import { parsePolicy, type Policy } from '../../shared/policies/policy.ts'

const PAYEE = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const OTHER = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC'
const BAD_CHECKSUM = PAYEE.replace('C51812dc', 'c51812dc')
const erc20 = new Interface([
  'function transfer(address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
])

function generated(template: TemplateName, fields: Partial<TemplateFields>): Policy {
  const result = generatePolicy(template, { ...INITIAL_FIELDS, ...fields })
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return parsePolicy(formatDocument(result.document))
}

function errorsOf(template: TemplateName, fields: Partial<TemplateFields>) {
  const result = generatePolicy(template, { ...INITIAL_FIELDS, ...fields })
  return 'errors' in result ? result.errors : {}
}

const FEES = { gasLimit: '60000', maxFeePerGas: '2000000000', maxPriorityFeePerGas: '1' }
const call = (to: string, data: string, changed: object = {}) => ({
  kind: 'transaction',
  transaction: { type: 2, chainId: 1, nonce: 0, to, data, ...FEES, ...changed },
})

async function decide(policy: Policy, request: object) {
  const { decision, rule, code } = await simulateDraft({
    request: request as Record<string, unknown>,
    action: undefined,
    policy,
  })
  return decision === 'allow' ? rule : code
}

describe('the template for payments', () => {
  const policy = generated('payments', { recipients: `${PAYEE}\n ${OTHER} \n` })
  const usdc = USDC_DEPLOYMENTS[0]!.address
  const pay = (to: string, amount: bigint, changed?: object) =>
    call(usdc, erc20.encodeFunctionData('transfer', [to, amount]), changed)

  it('allows payments to the recipients up to the limit', async () => {
    expect(await decide(policy, pay(PAYEE, 25_000_000n))).toBe('pay recipients')
    expect(await decide(policy, pay(OTHER, 100_000_000n))).toBe('pay recipients')
    expect(await decide(policy, pay(PAYEE, 100_000_001n))).toBe('over_sum')
  })

  it('denies other recipients, tokens, chains, functions, kinds and fees', async () => {
    expect(await decide(policy, pay(usdc, 1n))).toBe('condition_failed')
    const data = erc20.encodeFunctionData('transfer', [PAYEE, 1n])
    expect(await decide(policy, call(OTHER, data))).toBe('recipient_not_allowed')
    expect(await decide(policy, pay(PAYEE, 1n, { chainId: 8453 }))).toBe('chain_not_allowed')
    const approval = erc20.encodeFunctionData('approve', [PAYEE, 1n])
    expect(await decide(policy, call(usdc, approval))).toBe('function_not_allowed')
    expect(await decide(policy, pay(PAYEE, 1n, { maxFeePerGas: '100000000001' }))).toBe(
      'gas_price_over_max',
    )
    expect(await decide(policy, { kind: 'message', message: 'hello' })).toBe('no_rule')
    expect(await decide(policy, { kind: 'digest', digest: `0x${'12'.repeat(32)}` })).toBe('no_rule')
  })

  it('has no warnings, and waits a day before it can be loosened', () => {
    expect(describePolicy(policy.document).warnings).toEqual([])
    expect(policy.document.change_delay_s).toBe(86_400)
  })

  it('converts amounts by the decimals of the token', () => {
    const { document } = generated('payments', {
      token: 'DAI',
      decimals: '18',
      perDay: '0.25',
      recipients: PAYEE,
    })
    expect(document.sums).toMatchObject([{ name: 'DAI a day', max: '250000000000000000' }])
  })

  it('reports each invalid field', () => {
    expect(
      errorsOf('payments', {
        chain: '1.5',
        token: 'US/DC',
        tokenAddress: '0x12',
        decimals: '78',
        perDay: '-1',
        recipients: '',
        gasPrice: '',
      }),
    ).toEqual({
      chain: expect.stringContaining('chain ID'),
      token: expect.stringContaining('letters'),
      tokenAddress: expect.stringContaining('40 hex digits'),
      decimals: expect.stringContaining('from 0 to 77'),
      perDay: expect.stringContaining('amount'),
      recipients: 'Required.',
      gasPrice: 'Required.',
    })
    expect(errorsOf('payments', { recipients: PAYEE, perDay: '0.1234567' })).toEqual({
      perDay: expect.stringContaining('at most 6 decimals'),
    })
  })

  it('typing errors: refuses an address with an invalid checksum, and warns without one', () => {
    expect(errorsOf('payments', { recipients: `${OTHER}\n${BAD_CHECKSUM}` })).toEqual({
      recipients: 'Line 2: Invalid checksum: check the address for typing errors.',
    })
    expect(errorsOf('payments', { recipients: `${PAYEE}\n${PAYEE.toLowerCase()}` })).toEqual({
      recipients: 'Line 2: The address occurs twice.',
    })
    expect(lacksChecksum(`${OTHER}\n ${PAYEE.toLowerCase()} `)).toBe(true)
    expect(lacksChecksum(`${OTHER}\n${PAYEE}`)).toBe(false)
  })

  it('never changes when it can be loosened by itself', () => {
    const { document } = generated('payments', { recipients: PAYEE, changes: 'never' })
    expect(document).toMatchObject({ immutable: true })
    expect(document.change_delay_s).toBeUndefined()
    expect(
      generated('payments', { recipients: PAYEE, changes: 'once' }).document,
    ).not.toHaveProperty('change_delay_s')
  })
})

describe('the template for a contract', () => {
  const vault = new Interface(['function deposit(uint256 amount)', 'function drain()'])
  const deposit = call(PAYEE, vault.encodeFunctionData('deposit', [5n]))

  it('allows the functions of this contract alone', async () => {
    const policy = generated('contract', { contract: PAYEE })
    expect(await decide(policy, deposit)).toBe('call the contract')
    expect(await decide(policy, call(PAYEE, vault.encodeFunctionData('drain')))).toBe(
      'function_not_allowed',
    )
    expect(await decide(policy, call(OTHER, deposit.transaction.data))).toBe(
      'recipient_not_allowed',
    )
    expect(await decide(policy, call(PAYEE, deposit.transaction.data, { value: '1' }))).toBe(
      'value_over_max',
    )
  })

  it('limits the native value of a call', async () => {
    const policy = generated('contract', { contract: PAYEE, value: '0.5' })
    const paying = (value: string) => call(PAYEE, deposit.transaction.data, { value })
    expect(await decide(policy, paying('500000000000000000'))).toBe('call the contract')
    expect(await decide(policy, paying('500000000000000001'))).toBe('value_over_max')
  })

  it('is refused by the parser if a function is not a signature', () => {
    expect(() => generated('contract', { contract: PAYEE, functions: 'deposit(' })).toThrow(
      /rules\[0\]\.calls\[0\]/,
    )
  })
})

describe('the template for orders', () => {
  const fields = { domain: 'Exchange', verifyingContract: PAYEE }
  const order = (domain: object = {}, types: object = {}) => ({
    kind: 'typed_data',
    domain: { name: 'Exchange', chainId: 1, verifyingContract: PAYEE, ...domain },
    types: {
      Order: [
        { name: 'maker', type: 'address' },
        { name: 'taker', type: 'address' },
        { name: 'amount', type: 'uint256' },
        { name: 'expiry', type: 'uint256' },
      ],
      ...types,
    },
    value: { maker: PAYEE, taker: OTHER, amount: '1', expiry: '2' },
  })

  it('allows the type for this domain alone', async () => {
    const policy = generated('orders', fields)
    expect(await decide(policy, order())).toBe('sign orders')
    expect(await decide(policy, order({ name: 'Other' }))).toBe('domain_not_allowed')
    expect(await decide(policy, order({ verifyingContract: OTHER }))).toBe('domain_not_allowed')
    expect(await decide(policy, order({ chainId: 10 }))).toBe('chain_not_allowed')
    const [request, { Order }] = [order(), order().types]
    const renamed = { ...request, types: { Permit: Order } }
    expect(await decide(policy, renamed)).toBe('type_not_allowed')
  })
})

it('the empty template allows nothing', async () => {
  const policy = generated('empty', {})
  const digest = { kind: 'digest', digest: `0x${'12'.repeat(32)}` }
  expect(await decide(policy, digest)).toBe('denied_by_rule')
  expect(await decide(policy, { kind: 'message', message: 'hello' })).toBe('no_rule')
})

it('suggests deployments whose addresses have a valid checksum', () => {
  for (const { address } of USDC_DEPLOYMENTS)
    expect(getAddress(address.toLowerCase())).toBe(address)
})

describe('a request to simulate', () => {
  const policy = generated('payments', { recipients: PAYEE })
  const requestOf = (
    name: Parameters<typeof generateRequest>[0],
    changed: Partial<RequestFields>,
  ) => {
    const { fields } = initialRequest(policy.document)
    const result = generateRequest(name, { ...fields, ...changed })
    return 'request' in result ? result.request : result.errors
  }

  it('fits the policy at first', async () => {
    const { name, fields } = initialRequest(policy.document)
    expect([name, fields.to.toLowerCase()]).toEqual(['tokens', PAYEE.toLowerCase()])
    expect(await decide(policy, requestOf(name, {}))).toBe('pay recipients')
  })

  it.each(['coin', 'tokens', 'message', 'typed_data'] as const)(
    'of the kind %s is well-formed',
    async (name) => {
      const request = requestOf(name, { to: PAYEE })
      const { explanation } = await simulateDraft({
        request: request as Record<string, unknown>,
        action: undefined,
        policy,
      })
      expect(explanation.join(' ')).toMatch(/^(Sends|Signs)/)
    },
  )

  it('shows what would remain of each sum', async () => {
    const request = requestOf('tokens', { amount: '40.5' }) as Record<string, unknown>
    const { sums } = await simulateDraft({ request, action: undefined, policy })
    expect(sums).toMatchObject([{ sum: 'USDC a day', added: '40500000', remaining: '59500000' }])
  })

  it('reports invalid fields', () => {
    expect(requestOf('coin', { to: BAD_CHECKSUM, amount: 'x', chain: '0' })).toEqual({
      chain: expect.any(String),
      to: expect.stringContaining('checksum'),
      amount: expect.stringContaining('at most 18 decimals'),
    })
  })
})

describe('amounts', () => {
  it.each([
    ['100', 6, '100000000'],
    ['0.000001', 6, '1'],
    ['007', 0, '7'],
    ['1.5', 0, undefined],
    ['1e3', 6, undefined],
    ['1,000', 6, undefined],
    ['-1', 6, undefined],
    ['', 6, undefined],
  ])('parse %j with %i decimals as %s', (text, decimals, expected) => {
    expect(parseAmount(text, decimals)).toBe(expected)
  })

  it.each([
    [100_000_000n, 6, '100'],
    [1_250_500_000n, 6, '1,250.5'],
    [1n, 18, '0.000000000000000001'],
    [12n, 0, '12'],
    [0n, 6, '0'],
  ])('format %i with %i decimals as %s', (amount, decimals, expected) => {
    expect(formatAmount(amount, decimals)).toBe(expected)
  })
})

it('formats a document with short members on one line, without changing it', () => {
  const document = {
    version: 1,
    none: undefined,
    list: [1, 2],
    long: ['a'.repeat(60), 'b'.repeat(60)],
  }
  const text = formatDocument(document)
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)))
  expect(text.split('\n').slice(0, 3)).toEqual(['{', '  "version": 1,', '  "list": [1, 2],'])
})
