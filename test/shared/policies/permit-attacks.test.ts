/** Attempts to get a permit past a policy that allows a similar one. */
import { type Family, testFamilies, testSignable } from './attack-families.ts'
import { DAI, OTHER_PAYEE, PAYEE, policyOf, THIEF, USDC, WALLET } from './requests.ts'
import {
  DAI_PERMIT,
  member,
  ofDomain,
  ofValue,
  PERMIT,
  PERMIT_MEMBERS,
  permits,
  typedData,
  typesOf,
  VALUE,
} from './typed-data-requests.ts'

const MAX = String(2n ** 256n - 1n)

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
}

testFamilies(FAMILIES)
testSignable(FAMILIES)
