/** Attempts to get a transaction past a policy: recipient, chain, type, numbers, fields, circumstances. */
import { type Family, testFamilies } from './attack-families.ts'
import {
  ACTION,
  addressWord,
  DAI,
  PAYROLL,
  policyOf,
  THIEF,
  TRANSACTION,
  transaction,
  transfer,
  USDC,
  WALLET,
  ZERO,
} from './requests.ts'

const MAX = 2n ** 256n - 1n
const withPrototype = JSON.parse('{"__proto__": {"to": "0x00"}}')

const DATA = TRANSACTION.data
const KEY = `0x${'11'.repeat(32)}`
const payroll = policyOf(PAYROLL)

const FAMILIES: Record<string, Family> = {
  'the recipient of a transaction': {
    policy: payroll,
    allowed: [
      ['the address in lower case', transaction({ to: USDC.toLowerCase() })],
      ['the address with its checksum', transaction({ to: USDC })],
    ],
    attacks: [
      ['another token', transaction({ to: DAI }), 'recipient_not_allowed'],
      [
        'the implementation behind the proxy',
        transaction({ to: '0x43506849d7c04f9138d1a2050bbf3a0c054402dd' }),
        'recipient_not_allowed',
      ],
      ['a proxy in front of the token', transaction({ to: THIEF }), 'recipient_not_allowed'],
      ['the zero address', transaction({ to: ZERO }), 'recipient_not_allowed'],
      ['contract creation: to is null', transaction({ to: null }), 'contract_creation'],
      ['contract creation: to is missing', transaction({ to: undefined }), 'contract_creation'],
      ['contract creation: to is an empty text', transaction({ to: '' }), 'invalid_address'],
      ['contract creation: to is 0x', transaction({ to: '0x' }), 'invalid_address'],
      ['an ENS name', transaction({ to: 'usdc.eth' }), 'ens_name'],
      ['an ENS name of look-alikes', transaction({ to: 'uѕdc.eth' }), 'ens_name'],
      ['an invalid checksum', transaction({ to: USDC.replace('A', 'a') }), 'bad_checksum'],
      [
        'an address in upper case',
        transaction({ to: `0x${USDC.slice(2).toUpperCase()}` }),
        'bad_checksum',
      ],
      ['an address without 0x', transaction({ to: USDC.slice(2) }), 'invalid_address'],
      ['an address with 0X', transaction({ to: USDC.replace('0x', '0X') }), 'invalid_address'],
      [
        'an ICAP address',
        transaction({ to: 'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS' }),
        'invalid_address',
      ],
      ['an address with 39 digits', transaction({ to: USDC.slice(0, -1) }), 'invalid_address'],
      ['an address with 41 digits', transaction({ to: `${USDC}0` }), 'invalid_address'],
      ['an address in 32 bytes', transaction({ to: `0x${addressWord(USDC)}` }), 'invalid_address'],
      ['an address with a space', transaction({ to: ` ${USDC}` }), 'invalid_address'],
      ['an address with a line break', transaction({ to: `${USDC}\n` }), 'invalid_address'],
      [
        'an address with full-width digits',
        transaction({ to: USDC.replace('8', '８') }),
        'invalid_address',
      ],
      [
        'an address with a Cyrillic letter',
        transaction({ to: USDC.toLowerCase().replace('a', 'а') }),
        'invalid_address',
      ],
      [
        'an address with a zero-width space',
        transaction({ to: `${USDC}\u200b` }),
        'invalid_address',
      ],
      ['an address as a number', transaction({ to: 0 }), 'invalid_address'],
      [
        'an object that turns into an address',
        transaction({ to: { toString: () => USDC } }),
        'invalid_address',
      ],
      ['a list with an address', transaction({ to: [USDC] }), 'invalid_address'],
    ],
  },
  'the chain of a transaction': {
    policy: payroll,
    allowed: [
      ['the chain as a text', transaction({ chainId: '1' })],
      ['the chain as hex', transaction({ chainId: '0x01' })],
    ],
    attacks: [
      ['replay on another chain', transaction({ chainId: 10 }), 'chain_not_allowed'],
      ['chain ID 0', transaction({ chainId: 0 }), 'chain_zero'],
      ['chain ID 0 as hex', transaction({ chainId: '0x0' }), 'chain_zero'],
      ['no chain ID: valid on every chain', transaction({ chainId: undefined }), 'chain_missing'],
      ['chain ID null', transaction({ chainId: null }), 'chain_missing'],
      [
        'a legacy transaction without a chain ID',
        transaction({
          type: 0,
          chainId: undefined,
          maxFeePerGas: undefined,
          maxPriorityFeePerGas: undefined,
          gasPrice: '1',
        }),
        'chain_missing',
      ],
      [
        'a chain ID that wraps to 1',
        transaction({ chainId: `0x1${'0'.repeat(15)}1` }),
        'invalid_number',
      ],
      ['a chain ID with leading zeros', transaction({ chainId: '01' }), 'invalid_number'],
      ['a fraction', transaction({ chainId: 1.5 }), 'invalid_number'],
      ['a chain ID in a list', transaction({ chainId: [1] }), 'invalid_number'],
      ['true as 1', transaction({ chainId: true }), 'invalid_number'],
    ],
  },
  'the type of a transaction': {
    policy: payroll,
    allowed: [
      ['type 2', transaction()],
      ['type 2, derived from its fees', transaction({ type: undefined })],
      [
        'type 0',
        transaction({
          type: 0,
          maxFeePerGas: undefined,
          maxPriorityFeePerGas: undefined,
          gasPrice: '1',
        }),
      ],
      [
        'type 1',
        transaction({
          type: '0x01',
          accessList: [],
          maxFeePerGas: undefined,
          maxPriorityFeePerGas: undefined,
          gasPrice: '1',
        }),
      ],
    ],
    attacks: [
      [
        'a blob transaction',
        transaction({
          type: 3,
          maxFeePerBlobGas: '1',
          blobVersionedHashes: [`0x01${'0'.repeat(62)}`],
        }),
        'transaction_type',
      ],
      [
        'a blob transaction without its type',
        transaction({
          type: undefined,
          maxFeePerBlobGas: '1',
          blobVersionedHashes: [`0x01${'0'.repeat(62)}`],
        }),
        'transaction_type',
      ],
      [
        'blobs in a transaction of type 2',
        transaction({ blobVersionedHashes: [`0x01${'0'.repeat(62)}`] }),
        'conflicting_fields',
      ],
      ['EIP-7702: type 4', transaction({ type: 4 }), 'transaction_type'],
      [
        'EIP-7702: an authorization in type 2',
        transaction({ authorizationList: [{ chainId: 0, address: THIEF, nonce: 0 }] }),
        'transaction_type',
      ],
      ['EIP-7702: an empty list', transaction({ authorizationList: [] }), 'transaction_type'],
      ['a type of the future', transaction({ type: 5 }), 'transaction_type'],
      ['type 258, which is 2 in one byte', transaction({ type: 258 }), 'transaction_type'],
      ['a negative type', transaction({ type: -2 }), 'invalid_number'],
      ['both kinds of fees', transaction({ gasPrice: '1' }), 'conflicting_fields'],
      [
        'an access list in type 0',
        transaction({
          type: 0,
          gasPrice: '1',
          maxFeePerGas: undefined,
          maxPriorityFeePerGas: undefined,
          accessList: [],
        }),
        'conflicting_fields',
      ],
      [
        'an access list that is none',
        transaction({ accessList: { [USDC]: [] } }),
        'malformed_request',
      ],
    ],
  },
  'numbers of a transaction': {
    policy: payroll,
    allowed: [
      [
        'numbers as hex with leading zeros, as ethers v5 writes them',
        transaction({ gasLimit: '0x00ea60' }),
      ],
      ['numbers as numbers', transaction({ gasLimit: 60_000 })],
      ['a value of zero', transaction({ value: '0x00' })],
      ['the highest nonce', transaction({ nonce: String(2 ** 53 - 1) })],
    ],
    attacks: [
      ['value in a contract call: 1 wei', transaction({ value: 1 }), 'value_over_max'],
      ['value in a contract call as hex', transaction({ value: '0x1' }), 'value_over_max'],
      ['a gas limit that is too high', transaction({ gasLimit: 100_001 }), 'gas_limit_over_max'],
      [
        'burning by the gas price',
        transaction({ maxFeePerGas: '100000000001' }),
        'gas_price_over_max',
      ],
      [
        'burning by the gas price of type 0',
        transaction({
          type: 0,
          maxFeePerGas: undefined,
          maxPriorityFeePerGas: undefined,
          gasPrice: '100000000001',
        }),
        'gas_price_over_max',
      ],
      [
        'burning by a tip above the highest price',
        transaction({ maxFeePerGas: '1', maxPriorityFeePerGas: '200000000000' }),
        'conflicting_fields',
      ],
      ['a negative gas limit', transaction({ gasLimit: '-1' }), 'invalid_number'],
      ['an exponent', transaction({ gasLimit: '6e4' }), 'invalid_number'],
      ['an empty text', transaction({ gasLimit: '' }), 'invalid_number'],
      ['0x without digits', transaction({ gasLimit: '0x' }), 'invalid_number'],
      [
        'leading zeros, which some read as octal',
        transaction({ gasLimit: '060000' }),
        'invalid_number',
      ],
      ['a plus sign', transaction({ gasLimit: '+60000' }), 'invalid_number'],
      ['a space', transaction({ gasLimit: ' 60000' }), 'invalid_number'],
      ['Arabic-Indic digits', transaction({ gasLimit: '٦٠٠٠٠' }), 'invalid_number'],
      ['an unsafe integer', transaction({ gasLimit: 2 ** 53 }), 'invalid_number'],
      ['negative zero', transaction({ value: -0 }), 'invalid_number'],
      ['a value above 2^256', transaction({ value: String(2n ** 256n) }), 'invalid_number'],
      [
        'a value that wraps to zero',
        transaction({ value: `0x1${'0'.repeat(64)}` }),
        'invalid_number',
      ],
      [
        'a BigNumber object',
        transaction({ value: { type: 'BigNumber', hex: '0x00' } }),
        'invalid_number',
      ],
      [
        'a nonce that numbers cannot represent',
        transaction({ nonce: '0x20000000000000' }),
        'invalid_number',
      ],
      ['no gas limit', transaction({ gasLimit: undefined }), 'missing_field'],
      ['no nonce', transaction({ nonce: null }), 'missing_field'],
      ['no fees', transaction({ maxFeePerGas: undefined, type: 2 }), 'missing_field'],
    ],
  },
  'fields of a transaction': {
    policy: payroll,
    allowed: [
      ['the sender', transaction({ from: WALLET })],
      ['data as a list of bytes', transaction({ data: [...Buffer.from(DATA.slice(2), 'hex')] })],
      ['an access list', transaction({ accessList: [{ address: USDC, storageKeys: [KEY] }] })],
      ['an access list of pairs', transaction({ accessList: [[USDC, [KEY]], [DAI]] })],
      [
        'an access list of 128 entries',
        transaction({ accessList: [[USDC, Array(127).fill(KEY)]] }),
      ],
      ['gasPrice that equals maxFeePerGas', transaction({ gasPrice: '0x06fc23ac00' })],
    ],
    attacks: [
      ['another sender', transaction({ from: THIEF }), 'other_sender'],
      ['input beside data', transaction({ input: transfer(THIEF, MAX) }), 'unknown_field'],
      ['gas beside gasLimit', transaction({ gas: '0xffffff' }), 'unknown_field'],
      ['customData', transaction({ customData: {} }), 'unknown_field'],
      [
        'exhaustion: a long access list',
        transaction({ accessList: [[USDC, Array(128).fill(KEY)]] }),
        'data_too_long',
      ],
      [
        'a short storage key',
        transaction({ accessList: [{ address: USDC, storageKeys: ['0x00'] }] }),
        'invalid_hex',
      ],
      [
        'an unknown member of the access list',
        transaction({ accessList: [{ address: USDC, storageKeys: [], keys: [KEY] }] }),
        'unknown_field',
      ],
      ['ccipReadEnabled', transaction({ ccipReadEnabled: true }), 'unknown_field'],
      ['a field in upper case', transaction({ Data: transfer(THIEF, MAX) }), 'unknown_field'],
      ['a member __proto__', { kind: 'transaction', transaction: withPrototype }, 'unknown_field'],
      ['a field of the request', { ...transaction(), policy: 'none' }, 'unknown_field'],
      [
        'fields that are inherited',
        { kind: 'transaction', transaction: Object.create(transaction().transaction) },
        'chain_missing',
      ],
      [
        'a getter that changes its value',
        {
          kind: 'transaction',
          transaction: Object.defineProperty({ ...transaction().transaction }, 'to', {
            get: () => THIEF,
          }),
        },
        'malformed_request',
      ],
      ['a request of no kind', { transaction: transaction().transaction }, 'malformed_request'],
      ['a request of two kinds', { ...transaction(), kind: ['transaction'] }, 'malformed_request'],
      ['a request that is null', null, 'malformed_request'],
      ['a request that is a text', JSON.stringify(transaction()), 'malformed_request'],
      ['a signed transaction', { kind: 'transaction', transaction: '0x02f8' }, 'malformed_request'],
    ],
  },
  circumstances: {
    policy: policyOf({
      ...PAYROLL,
      rules: [
        {
          ...PAYROLL.rules[0],
          actions: [ACTION],
          times: [{ weekdays: ['mon', 'tue', 'wed'], from: '09:00', to: '17:00' }],
        },
      ],
    }),
    allowed: [
      ['the action, at noon on a Wednesday', transaction()],
      ['the first minute', transaction(), { now: Date.parse('2026-07-01T09:00:00Z') }],
    ],
    attacks: [
      ['another action', transaction(), 'action_not_allowed', { action: ACTION.replace('Y', 'y') }],
      ['no action', transaction(), 'action_not_allowed', { action: null }],
      [
        'the minute before',
        transaction(),
        'outside_hours',
        { now: Date.parse('2026-07-01T08:59:59.999Z') },
      ],
      [
        'the first minute after',
        transaction(),
        'outside_hours',
        { now: Date.parse('2026-07-01T17:00:00Z') },
      ],
      [
        'another weekday',
        transaction(),
        'outside_hours',
        { now: Date.parse('2026-07-02T12:00:00Z') },
      ],
    ],
  },
}

testFamilies(FAMILIES)
