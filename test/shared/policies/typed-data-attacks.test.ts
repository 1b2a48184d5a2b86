/** Attempts to get typed data of other types past a policy, such as permits of Permit2 and orders. */
import { type Family, testFamilies, testSignable } from './attack-families.ts'
import { allowing, DAI, PAYEE, PAYROLL, THIEF, USDC, WALLET, ZERO } from './requests.ts'
import {
  DAI_PERMIT,
  DETAILS,
  member,
  ofDomain,
  ofValue,
  PERMIT2,
  PERMIT_MEMBERS,
  SEAPORT,
  typedData,
  typesOf,
} from './typed-data-requests.ts'

const PUNKS = '0x8a90cab2b38dba80c64b7734e58ee1db38b8992e'
const MAX = String(2n ** 256n - 1n)

/** Each type refers to all later ones, the last one first, so the number of paths doubles with each type. */
const LATTICE = Object.fromEntries(
  Array.from({ length: 32 }, (_, at) => [
    `T${at}`,
    Array.from({ length: 31 - at }, (__, to) => member(`f${to}`, `T${31 - to}[]`)),
  ]),
)

const CHAIN = Object.fromEntries(
  Array.from({ length: 33 }, (_, at) => [
    `T${at}`,
    at < 32 ? [member('next', `T${at + 1}[]`)] : [],
  ]),
)

const EMPTY_LATTICE = Object.fromEntries(LATTICE['T0']!.map(({ name }) => [name, []]))

const FAMILIES: Record<string, Family> = {
  'permits of any type': anyTypes(),
  'orders of Seaport': orders(),
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
  /** Another type ends with the text of Permit2's type, which has another type for its amount. */
  const disguised = (type: string, amount: unknown) =>
    typedData({
      domain: { verifyingContract: PERMIT2 },
      encoded: `PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,X${PERMISSIONS.slice(0, 16)} witness)TokenPermissions(address token,${type} amount)X${PERMISSIONS}`,
      value: {
        permitted: { token: USDC, amount },
        spender: THIEF,
        nonce: 0,
        deadline: 0,
        witness: { token: USDC, amount: 1 },
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
      [
        'exponential types: struct types that refer to each other in 2^31 ways',
        typedData({ types: LATTICE, encoded: '', value: EMPTY_LATTICE }),
        'invalid_type',
      ],
      [
        'exhaustion: 33 struct types',
        typedData({ types: CHAIN, encoded: '', value: {} }),
        'invalid_type',
      ],
      [
        'exhaustion: more than 512 values',
        typedData({ encoded: 'A(bool[] a)', value: { a: Array(512).fill(true) } }),
        'data_too_long',
      ],
      [
        'exhaustion: more than 4 KiB of names',
        typedData({ encoded: `A(bool ${'a'.repeat(4096)})`, value: {} }),
        'invalid_type',
      ],
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
      ['Permit2: an amount that is a text', disguised('string', '5'), 'not_counted'],
      ['Permit2: an amount that is a bool', disguised('bool', true), 'not_counted'],
      ['Permit2: an amount that is a list', disguised('uint256[]', [5]), 'not_counted'],
      ['Permit2: a negative amount', disguised('int256', -5), 'not_counted'],
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
  /** Any tokens of the collection, which buyers choose. */
  const punks = (count: number) => ({
    itemType: 4,
    token: PUNKS,
    identifierOrCriteria: 0,
    startAmount: count,
    endAmount: 1,
  })
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
        sums: ['USDC a day', 'punks'],
      },
      {
        tokens: [
          ...PAYROLL.tokens,
          { name: 'Punks', chain: 1, address: PUNKS, standard: 'erc721' },
        ],
        sums: [
          ...PAYROLL.sums,
          { name: 'punks', of: 'tokens', tokens: ['Punks'], window_s: 86_400, max: '2' },
        ],
      },
    ),
    allowed: [
      ['an order that pays the wallet', order()],
      ['an order that offers two NFTs', order({}, {}, [punks(2)])],
    ],
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
      ['an order that is filled in parts with three NFTs', order({}, {}, [punks(3)]), 'over_sum'],
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

testFamilies(FAMILIES)
testSignable(FAMILIES)
