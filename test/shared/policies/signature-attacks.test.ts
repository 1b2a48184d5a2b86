/** Attempts to get a message, typed data or a digest past a policy that allows something similar. */
import { TypedDataEncoder } from 'ethers'
import { describe, expect, it } from 'vitest'
import type { DenialCode } from '../../../shared/policies/denial.ts'
import type { PolicyContext } from '../../../shared/policies/mismatch.ts'
import type { Policy } from '../../../shared/policies/policy.ts'
import { signableTypedData } from '../../../shared/policies/signable-typed-data.ts'
import {
  ACTION,
  allowing,
  DAI,
  decide,
  OTHER_PAYEE,
  PAYEE,
  PAYROLL,
  policyOf,
  THIEF,
  transaction,
  USDC,
  verdict,
  WALLET,
  ZERO,
} from './requests.ts'

type Attack = [name: string, request: unknown, code: DenialCode, context?: Partial<PolicyContext>]
type Family = {
  policy: Policy
  allowed: [name: string, request: unknown][]
  attacks: Attack[]
}

const PERMIT = 'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)'
const DAI_PERMIT =
  'Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)'
const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
const DETAILS = 'PermitDetails(address token,uint160 amount,uint48 expiration,uint48 nonce)'
const SEAPORT = '0x0000000000000068F116a894984e2DB1123eB395'
const MAX = String(2n ** 256n - 1n)

/** The types of an encoded type, as libraries take them. */
function typesOf(encoded: string): Record<string, { name: string; type: string }[]> {
  return Object.fromEntries(
    [...encoded.matchAll(/(\w+)\(([^)]*)\)/g)].map(([, name, members]) => [
      name,
      members!
        .split(',')
        .filter(Boolean)
        .map((member) => {
          const [type, of] = member.split(' ')
          return { name: of!, type: type! }
        }),
    ]),
  )
}

const DOMAIN = { name: 'USD Coin', version: '2', chainId: 1, verifyingContract: USDC }
const VALUE = { owner: WALLET, spender: PAYEE, value: '5000000', nonce: 0, deadline: '1800000000' }

type Signed = { domain?: object; encoded?: string; types?: object; value?: object; others?: object }
const typedData = ({
  domain = {},
  encoded = PERMIT,
  types,
  value = {},
  others = {},
}: Signed = {}) => ({
  kind: 'typed_data',
  domain: { ...DOMAIN, ...domain },
  types: types ?? typesOf(encoded),
  value: { ...(encoded === PERMIT ? VALUE : {}), ...value },
  ...others,
})
const ofDomain = (domain: object) => typedData({ domain })
const ofValue = (value: object) => typedData({ value })
const member = (name: string, type: string) => ({ name, type })
const [PERMIT_MEMBERS] = Object.values(typesOf(PERMIT))

const permits = allowing(
  {
    kind: 'typed_data',
    chains: [1],
    domains: [{ name: 'USD Coin', version: '2', verifying_contract: [USDC] }],
    types: [
      {
        type: PERMIT,
        conditions: [
          { path: 'owner', in: ['@wallet'] },
          { path: 'spender', in: ['@payees'] },
          { path: 'value', lte: '50000000' },
        ],
      },
    ],
    sums: ['USDC a day'],
  },
  { tokens: PAYROLL.tokens, lists: PAYROLL.lists, sums: PAYROLL.sums },
)

const FAMILIES: Record<string, Family> = {
  'the domain of a permit': {
    policy: permits,
    allowed: [
      ['the domain', typedData()],
      ['the chain as a text', ofDomain({ chainId: '1' })],
      ['the contract in lower case', ofDomain({ verifyingContract: USDC.toLowerCase() })],
      [
        'the type of the domain beside the others',
        typedData({
          types: {
            ...typesOf(PERMIT),
            EIP712Domain: [
              member('name', 'string'),
              member('version', 'string'),
              member('chainId', 'uint256'),
              member('verifyingContract', 'address'),
            ],
          },
        }),
      ],
      ['the primary type', typedData({ others: { primaryType: 'Permit' } })],
    ],
    attacks: [
      ['permit replay on another chain', ofDomain({ chainId: 10 }), 'chain_not_allowed'],
      [
        'permit replay on every chain: no chain ID',
        ofDomain({ chainId: undefined }),
        'domain_chain_missing',
      ],
      ['chain ID 0', ofDomain({ chainId: 0 }), 'chain_zero'],
      ['chain ID null', ofDomain({ chainId: null }), 'invalid_number'],
      ['a chain ID with leading zeros', ofDomain({ chainId: '01' }), 'invalid_number'],
      ['a chain ID that wraps', ofDomain({ chainId: `0x1${'0'.repeat(15)}1` }), 'invalid_number'],
      [
        'domain confusion: another token',
        ofDomain({ verifyingContract: DAI }),
        'domain_not_allowed',
      ],
      [
        'domain confusion: no contract',
        ofDomain({ verifyingContract: undefined }),
        'domain_not_allowed',
      ],
      ['domain confusion: another version', ofDomain({ version: '1' }), 'domain_not_allowed'],
      ['domain confusion: a version as a number', ofDomain({ version: 2 }), 'invalid_type'],
      ['domain confusion: no name', ofDomain({ name: undefined }), 'domain_not_allowed'],
      [
        'domain confusion: a salt',
        ofDomain({ salt: `0x${'00'.repeat(32)}` }),
        'domain_not_allowed',
      ],
      ['domain confusion: an unknown member', ofDomain({ origin: 'a' }), 'unknown_field'],
      ['look-alike: a Cyrillic letter', ofDomain({ name: 'USD Сoin' }), 'domain_not_allowed'],
      ['look-alike: a no-break space', ofDomain({ name: 'USD\u00a0Coin' }), 'domain_not_allowed'],
      [
        'look-alike: a zero-width joiner',
        ofDomain({ name: 'USD\u200d Coin' }),
        'domain_not_allowed',
      ],
      ['look-alike: a space at the end', ofDomain({ name: 'USD Coin ' }), 'domain_not_allowed'],
      ['look-alike: full-width letters', ofDomain({ name: 'ＵSD Coin' }), 'domain_not_allowed'],
      ['look-alike: another case', ofDomain({ name: 'Usd Coin' }), 'domain_not_allowed'],
      [
        'look-alike: text of the other direction',
        ofDomain({ name: '\u202eUSD Coin' }),
        'domain_not_allowed',
      ],
      ['a lone surrogate', ofDomain({ name: 'USD Coin\ud800' }), 'invalid_text'],
      [
        'a contract with an invalid checksum',
        ofDomain({ verifyingContract: USDC.replace('A', 'a') }),
        'bad_checksum',
      ],
      ['a contract as an ENS name', ofDomain({ verifyingContract: 'usdc.eth' }), 'ens_name'],
      [
        'the type of the domain without its chain',
        typedData({
          types: {
            ...typesOf(PERMIT),
            EIP712Domain: [
              member('name', 'string'),
              member('version', 'string'),
              member('verifyingContract', 'address'),
            ],
          },
        }),
        'invalid_type',
      ],
      [
        'the type of the domain in another order',
        typedData({
          types: {
            ...typesOf(PERMIT),
            EIP712Domain: [
              member('version', 'string'),
              member('name', 'string'),
              member('chainId', 'uint256'),
              member('verifyingContract', 'address'),
            ],
          },
        }),
        'invalid_type',
      ],
    ],
  },
  'the type of a permit': {
    policy: permits,
    allowed: [['the type', typedData()]],
    attacks: [
      [
        'EIP-2612 against DAI’s permit',
        typedData({
          encoded: DAI_PERMIT,
          value: { holder: WALLET, spender: PAYEE, nonce: 0, expiry: 0, allowed: true },
        }),
        'type_not_allowed',
      ],
      [
        'another order of members',
        typedData({ types: { Permit: PERMIT_MEMBERS!.toReversed() } }),
        'type_not_allowed',
      ],
      [
        'a member more',
        typedData({
          types: { Permit: [...PERMIT_MEMBERS!, member('extra', 'bool')] },
          value: { extra: true },
        }),
        'type_not_allowed',
      ],
      [
        'a narrower integer',
        typedData({
          types: {
            Permit: PERMIT_MEMBERS!.map((each) =>
              each.name === 'value' ? member('value', 'uint128') : each,
            ),
          },
        }),
        'type_not_allowed',
      ],
      [
        'another name of the type',
        typedData({ types: { permit: PERMIT_MEMBERS } }),
        'type_not_allowed',
      ],
      [
        'a look-alike name of the type',
        typedData({ types: { Реrmit: PERMIT_MEMBERS } }),
        'invalid_type',
      ],
      [
        'an alias of an integer',
        typedData({
          types: {
            Permit: PERMIT_MEMBERS!.map((each) => ({
              ...each,
              type: each.type.replace('uint256', 'uint'),
            })),
          },
        }),
        'unknown_type',
      ],
      [
        'an unknown type',
        typedData({
          types: { Permit: [...PERMIT_MEMBERS!, member('extra', 'Extra')] },
          value: { extra: {} },
        }),
        'unknown_type',
      ],
      [
        'a struct with the name of an integer',
        typedData({ types: { Permit: PERMIT_MEMBERS, uint256: [member('a', 'bool')] } }),
        'invalid_type',
      ],
      [
        'a struct with the name of an alias',
        typedData({ types: { Permit: PERMIT_MEMBERS, uint: [member('a', 'bool')] } }),
        'invalid_type',
      ],
      [
        'a struct with the name address',
        typedData({ types: { Permit: PERMIT_MEMBERS, address: [member('a', 'bool')] } }),
        'invalid_type',
      ],
      [
        'a struct with the name __proto__',
        typedData({ types: JSON.parse('{"__proto__":[{"name":"a","type":"bool"}]}') }),
        'invalid_type',
      ],
      [
        'an unused type',
        typedData({ types: { ...typesOf(PERMIT), Order: [member('a', 'bool')] } }),
        'invalid_type',
      ],
      [
        'a cycle beside the type',
        typedData({ types: { ...typesOf(PERMIT), A: [member('b', 'B')], B: [member('a', 'A')] } }),
        'invalid_type',
      ],
      [
        'a type that contains itself',
        typedData({
          types: { Permit: [...PERMIT_MEMBERS!, member('next', 'Permit[]')] },
          value: { next: [] },
        }),
        'invalid_type',
      ],
      [
        'another primary type',
        typedData({ others: { primaryType: 'EIP712Domain' } }),
        'invalid_type',
      ],
      ['no types', typedData({ types: {} }), 'invalid_type'],
      [
        'two members of one name',
        typedData({ types: { Permit: [...PERMIT_MEMBERS!, member('value', 'uint256')] } }),
        'invalid_type',
      ],
      [
        'a type with a parenthesis',
        typedData({ types: { 'Permit(address owner)A': PERMIT_MEMBERS } }),
        'invalid_type',
      ],
      [
        'a member with a comma in its name',
        typedData({ types: { Permit: [...PERMIT_MEMBERS!, member('a,uint256 b', 'bool')] } }),
        'invalid_type',
      ],
      [
        'EIP-1271: a message of a Safe',
        typedData({ encoded: 'SafeMessage(bytes message)', value: { message: '0x00' } }),
        'type_not_allowed',
      ],
      [
        'EIP-1271: a message for a smart account',
        typedData({ encoded: 'PersonalSign(bytes prefixed)', value: { prefixed: '0x00' } }),
        'type_not_allowed',
      ],
    ],
  },
  'the value of a permit': {
    policy: permits,
    allowed: [
      ['the value', typedData()],
      ['the highest value', ofValue({ value: '50000000' })],
      ['the value as hex', ofValue({ value: '0x01' })],
      ['the other payee', ofValue({ spender: OTHER_PAYEE })],
    ],
    attacks: [
      ['another spender', ofValue({ spender: THIEF }), 'condition_failed'],
      ['another owner', ofValue({ owner: THIEF }), 'condition_failed'],
      ['one unit too much', ofValue({ value: '50000001' }), 'condition_failed'],
      ['an unlimited value', ofValue({ value: MAX }), 'condition_failed'],
      ['a value above 2^256', ofValue({ value: String(2n ** 256n) }), 'invalid_number'],
      ['a negative value', ofValue({ value: '-1' }), 'number_out_of_range'],
      ['a value with leading zeros', ofValue({ value: '05' }), 'invalid_number'],
      ['a value as a float', ofValue({ value: 1.5 }), 'invalid_number'],
      ['a value in a list', ofValue({ value: ['5'] }), 'invalid_number'],
      ['an extra field', ofValue({ amount: MAX }), 'extra_field'],
      [
        'an extra field __proto__',
        { ...typedData(), value: JSON.parse(`{"__proto__":{"value":"${MAX}"}}`) },
        'extra_field',
      ],
      ['a missing field', ofValue({ value: undefined }), 'missing_field'],
      ['a field that is null', ofValue({ deadline: null }), 'missing_field'],
      ['the spender as an ENS name', ofValue({ spender: 'payee.eth' }), 'ens_name'],
      [
        'the spender with an invalid checksum',
        ofValue({ spender: PAYEE.replace('C', 'c') }),
        'bad_checksum',
      ],
      ['the spender without 0x', ofValue({ spender: PAYEE.slice(2) }), 'invalid_address'],
      ['the message of another wallet’s form', { ...typedData(), message: VALUE }, 'unknown_field'],
    ],
  },
  'permits of any type': anyTypes(),
  'orders of Seaport': orders(),
  'rules that deny typed data': {
    policy: policyOf({
      version: 1,
      rules: [
        {
          name: 'block',
          effect: 'deny',
          kind: 'typed_data',
          chains: [1],
          domains: [{ name: 'USD Coin', verifying_contract: [USDC] }],
          types: 'any',
        },
        {
          name: 'all',
          effect: 'allow',
          kind: 'typed_data',
          chains: 'any',
          chainless_domain: true,
          domains: 'any',
          types: 'any',
          unlimited_approval: true,
          zero_address: true,
        },
      ],
    }),
    allowed: [['another token', ofDomain({ verifyingContract: DAI })]],
    attacks: [
      ['the denied domain', typedData(), 'denied_by_rule'],
      ['the denied domain without its chain', ofDomain({ chainId: undefined }), 'denied_by_rule'],
      [
        'the denied domain without its contract',
        ofDomain({ verifyingContract: undefined }),
        'denied_by_rule',
      ],
      ['the denied domain without its name', ofDomain({ name: undefined }), 'denied_by_rule'],
      [
        'the denied domain with a salt',
        ofDomain({ salt: `0x${'00'.repeat(32)}` }),
        'denied_by_rule',
      ],
    ],
  },
  'messages with a prefix': {
    policy: allowing({
      kind: 'message',
      messages: [{ prefix: 'Sign in to example.com as ' }, { equals: 'OK' }],
    }),
    allowed: [
      ['a message with the prefix', { kind: 'message', message: 'Sign in to example.com as bob' }],
      [
        'the same as bytes',
        {
          kind: 'message',
          bytes: `0x${Buffer.from('Sign in to example.com as bob').toString('hex')}`,
        },
      ],
      ['the exact message', { kind: 'message', message: 'OK' }],
      [
        'a message of two lines',
        { kind: 'message', message: 'Sign in to example.com as bob\r\nnonce: 1' },
      ],
    ],
    attacks: [
      [
        'another message',
        { kind: 'message', message: 'Sign in to example.org as bob' },
        'message_not_allowed',
      ],
      [
        'the prefix in the middle',
        { kind: 'message', message: '> Sign in to example.com as bob' },
        'message_not_allowed',
      ],
      [
        'a look-alike prefix',
        { kind: 'message', message: 'Sign in to ехample.com as bob' },
        'message_not_allowed',
      ],
      [
        'a prefix with a zero-width space',
        { kind: 'message', message: 'Sign in to \u200bexample.com as bob' },
        'message_not_allowed',
      ],
      [
        'a byte order mark in front',
        { kind: 'message', message: '\ufeffSign in to example.com as bob' },
        'message_not_allowed',
      ],
      [
        'a prefix in lower case',
        { kind: 'message', message: 'sign in to example.com as bob' },
        'message_not_allowed',
      ],
      [
        'a message that continues an exact one',
        { kind: 'message', message: 'OK!' },
        'message_not_allowed',
      ],
      ['an empty message', { kind: 'message', message: '' }, 'message_not_allowed'],
      ['a hash', { kind: 'message', bytes: `0x${'ab'.repeat(32)}` }, 'message_not_allowed'],
      [
        'a hash as a text, which is not the hash',
        { kind: 'message', message: `0x${'ab'.repeat(32)}` },
        'message_not_allowed',
      ],
      [
        'a control character behind the prefix',
        { kind: 'message', message: 'Sign in to example.com as \u0000' },
        'binary_message',
      ],
      [
        'an escape sequence behind the prefix',
        { kind: 'message', message: 'Sign in to example.com as \u001b[2K' },
        'binary_message',
      ],
      [
        'bytes behind the prefix',
        {
          kind: 'message',
          bytes: `0x${Buffer.from('Sign in to example.com as ').toString('hex')}ff`,
        },
        'binary_message',
      ],
      [
        'a lone surrogate',
        { kind: 'message', message: 'Sign in to example.com as \udfff' },
        'invalid_text',
      ],
      ['a text and bytes', { kind: 'message', message: 'OK', bytes: '0xff' }, 'malformed_request'],
      ['neither text nor bytes', { kind: 'message' }, 'malformed_request'],
      ['a list of texts', { kind: 'message', message: ['OK'] }, 'malformed_request'],
      ['bytes with an odd number of digits', { kind: 'message', bytes: '0xfff' }, 'invalid_hex'],
    ],
  },
  'rules that deny messages': {
    policy: policyOf({
      version: 1,
      rules: [
        {
          name: 'block',
          effect: 'deny',
          kind: 'message',
          messages: [{ prefix: 'Transfer ' }, { equals: 'OK' }],
        },
        { name: 'all', effect: 'allow', kind: 'message', messages: 'any', binary: true },
      ],
    }),
    allowed: [['another message', { kind: 'message', message: 'hello' }]],
    attacks: [
      ['the denied prefix', { kind: 'message', message: 'Transfer 5' }, 'denied_by_rule'],
      [
        'the denied prefix as bytes',
        { kind: 'message', bytes: `0x${Buffer.from('Transfer 5').toString('hex').toUpperCase()}` },
        'denied_by_rule',
      ],
      [
        'the denied prefix in bytes that are not text',
        { kind: 'message', bytes: `0x${Buffer.from('Transfer ').toString('hex')}ff` },
        'denied_by_rule',
      ],
      ['the denied text as bytes', { kind: 'message', bytes: '0x4f4b' }, 'denied_by_rule'],
    ],
  },
  'any message': {
    policy: allowing({ kind: 'message', messages: 'any' }),
    allowed: [
      ['a text', { kind: 'message', message: 'hello' }],
      ['a text of 31 characters', { kind: 'message', message: 'a'.repeat(31) }],
    ],
    attacks: [
      [
        'a Safe’s transaction: its hash as a message',
        { kind: 'message', bytes: `0x${'ab'.repeat(32)}` },
        'binary_message',
      ],
      [
        'a hash that was searched for, until it is text',
        { kind: 'message', message: 'a'.repeat(32) },
        'binary_message',
      ],
      ['bytes that are not UTF-8', { kind: 'message', bytes: '0xc3' }, 'binary_message'],
    ],
  },
  digests: {
    policy: allowing({ kind: 'digest', actions: [ACTION] }),
    allowed: [['a digest', { kind: 'digest', digest: `0x${'ab'.repeat(32)}` }]],
    attacks: [
      [
        'another action',
        { kind: 'digest', digest: `0x${'ab'.repeat(32)}` },
        'action_not_allowed',
        { action: null },
      ],
      ['31 bytes', { kind: 'digest', digest: `0x${'ab'.repeat(31)}` }, 'invalid_hex'],
      [
        'a transaction beside the digest',
        { kind: 'digest', digest: `0x${'ab'.repeat(32)}`, transaction: {} },
        'unknown_field',
      ],
      ['a transaction, which needs a rule of its kind', transaction(), 'no_rule'],
    ],
  },
  'kinds without a rule': {
    policy: policyOf(PAYROLL),
    allowed: [['a transaction', transaction()]],
    attacks: [
      [
        'the transaction as a digest',
        { kind: 'digest', digest: `0x${'ab'.repeat(32)}` },
        'no_rule',
      ],
      ['the transaction as a message', { kind: 'message', message: 'hello' }, 'no_rule'],
      ['the transfer as a permit', typedData(), 'no_rule'],
    ],
  },
}

function anyTypes(): Family {
  const single = (token: string, amount: string, spender = THIEF) =>
    typedData({
      domain: { name: 'Permit2', version: undefined, verifyingContract: PERMIT2 },
      encoded: `PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)${DETAILS}`,
      value: { details: { token, amount, expiration: 0, nonce: 0 }, spender, sigDeadline: 0 },
    })
  const batch = (...amounts: string[]) =>
    typedData({
      domain: { name: 'Permit2', version: undefined, verifyingContract: PERMIT2 },
      encoded: `PermitBatch(PermitDetails[] details,address spender,uint256 sigDeadline)${DETAILS}`,
      value: {
        details: amounts.map((amount) => ({ token: USDC, amount, expiration: 0, nonce: 0 })),
        spender: THIEF,
        sigDeadline: 0,
      },
    })
  const PERMISSIONS = 'TokenPermissions(address token,uint256 amount)'
  const once = (amount: string) =>
    typedData({
      domain: { verifyingContract: PERMIT2 },
      encoded: `PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline)${PERMISSIONS}`,
      value: { permitted: { token: USDC, amount }, spender: THIEF, nonce: 0, deadline: 0 },
    })
  const witness = (amount: string) =>
    typedData({
      domain: { verifyingContract: PERMIT2 },
      encoded: `PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,Mark witness)Mark(bool a)${PERMISSIONS}`,
      value: {
        permitted: { token: USDC, amount },
        spender: THIEF,
        nonce: 0,
        deadline: 0,
        witness: { a: true },
      },
    })
  const daiPermit = (allowed: boolean, domain = {}) =>
    typedData({
      domain,
      encoded: DAI_PERMIT,
      value: { holder: WALLET, spender: THIEF, nonce: 0, expiry: 0, allowed },
    })
  const authorization = (to: string, value: string) =>
    typedData({
      encoded:
        'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
      value: {
        from: WALLET,
        to,
        value,
        validAfter: 0,
        validBefore: 0,
        nonce: `0x${'00'.repeat(32)}`,
      },
    })
  const safeTx = (operation: number) =>
    typedData({
      domain: { name: undefined, version: undefined, verifyingContract: PAYEE },
      encoded:
        'SafeTx(address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,uint256 gasPrice,address gasToken,address refundReceiver,uint256 nonce)',
      value: {
        to: USDC,
        value: 0,
        data: '0x',
        operation,
        safeTxGas: 0,
        baseGas: 0,
        gasPrice: 0,
        gasToken: ZERO,
        refundReceiver: ZERO,
        nonce: 0,
      },
    })
  return {
    policy: allowing(
      { kind: 'typed_data', chains: [1], domains: 'any', types: 'any', sums: ['USDC a day'] },
      { tokens: PAYROLL.tokens, sums: PAYROLL.sums },
    ),
    allowed: [
      ['a permit within the sum', typedData()],
      ['Permit2 within the sum', single(USDC, '100000000')],
      ['a batch of Permit2 within the sum', batch('50000000', '50000000')],
      ['a transfer by Permit2', once('5')],
      ['a transfer by Permit2 with a witness', witness('5')],
      ['DAI’s permit that revokes', daiPermit(false)],
      ['an authorization within the sum', authorization(THIEF, '5')],
    ],
    attacks: [
      ['a permit over the sum', ofValue({ value: '100000001' }), 'over_sum'],
      ['an unlimited permit', ofValue({ value: MAX }), 'unlimited_approval'],
      [
        'a permit for a token that no sum counts',
        ofDomain({ verifyingContract: DAI }),
        'not_counted',
      ],
      ['a permit without a contract', ofDomain({ verifyingContract: undefined }), 'not_counted'],
      ['a permit for the zero address', ofValue({ spender: ZERO }), 'zero_address'],
      ['DAI’s permit: allowed has no amount', daiPermit(true), 'unlimited_approval'],
      ['Permit2: a token that no sum counts', single(DAI, '5'), 'not_counted'],
      ['Permit2: over the sum', single(USDC, '100000001'), 'over_sum'],
      ['Permit2: the highest uint160', single(USDC, String(2n ** 160n - 1n)), 'unlimited_approval'],
      ['Permit2: more than a uint160', single(USDC, String(2n ** 160n)), 'number_out_of_range'],
      ['Permit2: a batch adds up', batch('50000000', '50000001'), 'over_sum'],
      ['Permit2: a transfer over the sum', once('100000001'), 'over_sum'],
      ['Permit2: a witness hides the transfer', witness('100000001'), 'over_sum'],
      ['ERC-3009: an authorization over the sum', authorization(THIEF, '100000001'), 'over_sum'],
      ['a Safe’s transaction with a delegate call', safeTx(1), 'delegate_call'],
      ['a Safe’s transaction', safeTx(0), 'nested_calls'],
      [
        'a type whose effect is unknown',
        typedData({ encoded: 'Vote(bool yes)', value: { yes: true } }),
        'not_counted',
      ],
      [
        'a permit with another name of the type',
        typedData({ types: { Allow: PERMIT_MEMBERS } }),
        'not_counted',
      ],
    ],
  }
}

function orders(): Family {
  const type =
    'OrderComponents(address offerer,address zone,OfferItem[] offer,ConsiderationItem[] consideration,uint8 orderType,uint256 startTime,uint256 endTime,bytes32 zoneHash,uint256 salt,bytes32 conduitKey,uint256 counter)ConsiderationItem(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount,address recipient)OfferItem(uint8 itemType,address token,uint256 identifierOrCriteria,uint256 startAmount,uint256 endAmount)'
  const none = `0x${'00'.repeat(32)}`
  const order = (offered: object = {}, asked: object = {}, more: object[] = []) =>
    typedData({
      domain: { name: 'Seaport', version: '1.6', verifyingContract: SEAPORT },
      encoded: type,
      value: {
        offerer: WALLET,
        zone: ZERO,
        offer: [
          {
            itemType: 1,
            token: USDC,
            identifierOrCriteria: 0,
            startAmount: 5,
            endAmount: 5,
            ...offered,
          },
          ...more,
        ],
        consideration: [
          {
            itemType: 2,
            token: DAI,
            identifierOrCriteria: 7,
            startAmount: 1,
            endAmount: 1,
            recipient: WALLET,
            ...asked,
          },
        ],
        orderType: 0,
        startTime: 0,
        endTime: 0,
        zoneHash: none,
        salt: 0,
        conduitKey: none,
        counter: 0,
      },
    })
  return {
    policy: allowing(
      {
        kind: 'typed_data',
        chains: [1],
        domains: [{ name: 'Seaport', verifying_contract: [SEAPORT] }],
        types: [
          {
            type,
            conditions: [
              { path: 'consideration', every: [{ path: 'recipient', in: ['@wallet'] }] },
            ],
          },
        ],
        sums: ['USDC a day'],
      },
      { tokens: PAYROLL.tokens, sums: PAYROLL.sums },
    ),
    allowed: [['an order that pays the wallet', order()]],
    attacks: [
      ['an order that pays somebody else', order({}, { recipient: THIEF }), 'condition_failed'],
      ['an order that offers another token', order({ token: DAI }), 'not_counted'],
      [
        'an order that offers an NFT beside',
        order({}, {}, [
          { itemType: 2, token: DAI, identifierOrCriteria: 7, startAmount: 1, endAmount: 1 },
        ]),
        'not_counted',
      ],
      ['an order whose price rises over the sum', order({ endAmount: 100_000_001 }), 'over_sum'],
      [
        'an order whose price falls from above the sum',
        order({ startAmount: 100_000_001 }),
        'over_sum',
      ],
      [
        'an order for another version of the type',
        {
          ...order(),
          types: { ...typesOf(type), OfferItem: typesOf(type)['OfferItem']!.toReversed() },
        },
        'type_not_allowed',
      ],
    ],
  }
}

describe.each(Object.entries(FAMILIES))('%s', (_, { policy, allowed, attacks }) => {
  it.each(allowed)('allows %s', (_name, request) => {
    const decision = decide(policy, request)
    expect(verdict(decision), decision.explanation.join(' ')).toBe('allow')
  })

  it.each(attacks)('denies %s', (_name, request, code, context) => {
    expect(verdict(decide(policy, request, context))).toBe(code)
  })
})

describe('typed data that is allowed', () => {
  const requests = Object.values(FAMILIES).flatMap(({ policy, allowed }) =>
    allowed.map(([, request]) => ({ policy, request: request as any })),
  )

  it('has the type and the digest that the library signs', () => {
    const signed = requests.filter(({ request }) => request.kind === 'typed_data')
    expect(signed.length).toBeGreaterThan(15)
    for (const { policy, request } of signed) {
      const decision = decide(policy, request)
      if (decision.decision === 'deny' || decision.request.kind !== 'typed_data')
        throw new Error('not allowed')
      const { EIP712Domain: _domain, ...types } = request.types
      const encoder = TypedDataEncoder.from(types)
      expect(decision.request.typedData.encodedType).toBe(encoder.encodeType(encoder.primaryType))
      const checked = signableTypedData(decision.request.typedData)
      expect(TypedDataEncoder.hash(checked.domain, checked.types, checked.value)).toBe(
        TypedDataEncoder.hash(request.domain, types, request.value),
      )
    }
  })
})
