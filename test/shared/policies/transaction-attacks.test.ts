/** Attempts to get a transaction past a policy that allows something similar. */
import { describe, expect, it } from 'vitest'
import type { DenialCode } from '../../../shared/policies/denial.ts'
import type { PolicyContext } from '../../../shared/policies/mismatch.ts'
import type { Policy } from '../../../shared/policies/policy.ts'
import {
  ACTION,
  allowing,
  call,
  calldata,
  DAI,
  decide,
  OTHER_PAYEE,
  PAYEE,
  PAYROLL,
  policyOf,
  THIEF,
  transaction,
  transfer,
  USDC,
  verdict,
  WALLET,
  ZERO,
} from './requests.ts'

type Attack = [name: string, request: unknown, code: DenialCode, context?: Partial<PolicyContext>]
type Legitimate = [name: string, request: unknown, context?: Partial<PolicyContext>]
type Family = { policy: Policy; allowed: Legitimate[]; attacks: Attack[] }

const word = (value: bigint | number) =>
  BigInt.asUintN(256, BigInt(value)).toString(16).padStart(64, '0')
const addressWord = (address: string) => address.slice(2).toLowerCase().padStart(64, '0')
const SELECTOR = '0xa9059cbb'
const data = (...parts: string[]) => transaction({ data: SELECTOR + parts.join('') })
const GOOD = transfer(PAYEE, 1n)
const NFT = '0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D'
const MAX = 2n ** 256n - 1n
const withPrototype = JSON.parse('{"__proto__": {"to": "0x00"}}')

const payroll = policyOf(PAYROLL)

const FAMILIES: Record<string, Family> = {
  'calldata of a transfer': {
    policy: payroll,
    allowed: [
      ['the canonical encoding', data(addressWord(PAYEE), word(50_000_000))],
      [
        'the canonical encoding in upper case',
        transaction({ data: `0x${GOOD.slice(2).toUpperCase()}` }),
      ],
      ['another payee', data(addressWord(OTHER_PAYEE), word(1))],
    ],
    attacks: [
      [
        'dirty padding: a bit above the address',
        data(`${'0'.repeat(23)}1${PAYEE.slice(2)}`, word(1)),
        'dirty_padding',
      ],
      [
        'dirty padding: the first byte of the address word',
        data(`ff${addressWord(PAYEE).slice(2)}`, word(1)),
        'dirty_padding',
      ],
      [
        'dirty padding: an address that is aligned to the left',
        data(PAYEE.slice(2).padEnd(64, '0'), word(1)),
        'dirty_padding',
      ],
      ['trailing data: one zero byte', transaction({ data: `${GOOD}00` }), 'trailing_data'],
      ['trailing data: a word', transaction({ data: GOOD + word(0) }), 'trailing_data'],
      [
        'trailing data: a second call',
        transaction({ data: GOOD + transfer(THIEF, MAX).slice(2) }),
        'trailing_data',
      ],
      [
        'trailing data: a sender for ERC-2771',
        transaction({ data: GOOD + THIEF.slice(2) }),
        'trailing_data',
      ],
      ['truncated data: the last byte', transaction({ data: GOOD.slice(0, -2) }), 'data_truncated'],
      ['truncated data: the amount', data(addressWord(PAYEE)), 'data_truncated'],
      ['truncated data: only the selector', transaction({ data: SELECTOR }), 'data_truncated'],
      [
        'short address: the amount shifts to the left',
        data(addressWord(PAYEE).slice(0, -2), word(1)),
        'data_truncated',
      ],
      ['a selector of three bytes', transaction({ data: '0xa9059c' }), 'no_selector'],
      ['one byte of data', transaction({ data: '0x00' }), 'no_selector'],
      ['no data', transaction({ data: '0x' }), 'function_not_allowed'],
      ['data in upper-case prefix', transaction({ data: GOOD.replace('0x', '0X') }), 'invalid_hex'],
      ['data without a prefix', transaction({ data: GOOD.slice(2) }), 'invalid_hex'],
      [
        'data with an odd number of digits',
        transaction({ data: GOOD.slice(0, -1) }),
        'invalid_hex',
      ],
      [
        'data with a digit that is none',
        transaction({ data: GOOD.replace(/.$/, 'g') }),
        'invalid_hex',
      ],
      [
        'data with full-width digits',
        transaction({ data: GOOD.replace(/.$/, '１') }),
        'invalid_hex',
      ],
      ['data with a line break', transaction({ data: `${GOOD}\n` }), 'invalid_hex'],
      ['data as bytes', transaction({ data: [0xa9, 0x05, 0x9c, 0xbb] }), 'invalid_hex'],
      ['data that is null', transaction({ data: null }), 'invalid_hex'],
      ['a list that looks like a text', transaction({ data: [GOOD] }), 'invalid_hex'],
      [
        'data that is longer than a chain accepts',
        transaction({ data: GOOD + '00'.repeat(131_073) }),
        'data_too_long',
      ],
      [
        'swapped arguments',
        call('transfer(uint256,address)', [BigInt(PAYEE), THIEF], {
          data: SELECTOR + word(1) + addressWord(PAYEE),
        }),
        'condition_failed',
      ],
      ['one unit too much', data(addressWord(PAYEE), word(50_000_001)), 'condition_failed'],
      ['a huge amount', data(addressWord(PAYEE), word(MAX)), 'condition_failed'],
      [
        'a negative amount in two’s complement',
        data(addressWord(PAYEE), word(-1)),
        'condition_failed',
      ],
      [
        'an address that differs in its last digit',
        data(addressWord(PAYEE).replace(/.$/, '9'), word(1)),
        'condition_failed',
      ],
      [
        'an address that differs in its middle',
        data(addressWord(PAYEE).replace('c51812', 'c51813'), word(1)),
        'condition_failed',
      ],
      ['the zero address as recipient', data(addressWord(ZERO), word(1)), 'condition_failed'],
      ['the wallet as recipient', data(addressWord(WALLET), word(1)), 'condition_failed'],
      [
        'unknown selector: the same arguments',
        transaction({ data: `0xdeadbeef${GOOD.slice(10)}` }),
        'function_not_allowed',
      ],
      [
        'transferFrom instead of transfer',
        call('transferFrom(address,address,uint256)', [WALLET, PAYEE, 1n]),
        'function_not_allowed',
      ],
      [
        'approve instead of transfer',
        call('approve(address,uint256)', [PAYEE, 1n]),
        'function_not_allowed',
      ],
      [
        'increaseAllowance instead of transfer',
        call('increaseAllowance(address,uint256)', [PAYEE, 1n]),
        'function_not_allowed',
      ],
      ['multicall around a transfer', call('multicall(bytes[])', [[GOOD]]), 'function_not_allowed'],
    ],
  },
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
      ['no gas limit', transaction({ gasLimit: undefined }), 'missing_field'],
      ['no nonce', transaction({ nonce: null }), 'missing_field'],
      ['no fees', transaction({ maxFeePerGas: undefined, type: 2 }), 'missing_field'],
    ],
  },
  'fields of a transaction': {
    policy: payroll,
    allowed: [['the sender', transaction({ from: WALLET })]],
    attacks: [
      ['another sender', transaction({ from: THIEF }), 'other_sender'],
      ['input beside data', transaction({ input: transfer(THIEF, MAX) }), 'unknown_field'],
      ['gas beside gasLimit', transaction({ gas: '0xffffff' }), 'unknown_field'],
      ['customData', transaction({ customData: {} }), 'unknown_field'],
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
  'calldata with dynamic arguments': dynamicArguments(),
  approvals: approvals(),
  'nested calls': nestedCalls(),
  sums: sums(),
  'rules that deny': denials(),
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

function dynamicArguments(): Family {
  const signature =
    'pay(address[] recipients, uint256[] amounts, string note, (address to, bytes4 tag, bool urgent, uint8 level, int16 shift)[] extra)'
  const policy = allowing(
    {
      kind: 'transaction',
      chains: [1],
      to: [USDC],
      calls: [
        {
          function: signature,
          conditions: [
            { path: 'recipients', every: [{ in: ['@payees'] }] },
            { path: 'extra', some: [{ path: 'to', eq: PAYEE }] },
            { path: 'amounts[-1]', lte: '5' },
            { path: 'note', prefix: 'pay' },
          ],
        },
      ],
    },
    { lists: PAYROLL.lists },
  )
  const values = [[PAYEE, OTHER_PAYEE], [9n, 5n], 'payroll', [[PAYEE, '0x01020304', true, 7, -2]]]
  const good = calldata(signature, values)
  const head = (index: number) => 10 + 64 * index
  /** Replaces digits of the good calldata. */
  const patched = (at: number, digits: string) =>
    transaction({ data: good.slice(0, at) + digits + good.slice(at + digits.length) })
  const offsetAt = (index: number) => Number.parseInt(good.slice(head(index), head(index + 1)), 16)
  const tail = (index: number) => 10 + 2 * offsetAt(index)
  const changed = (index: number, value: unknown) =>
    call(signature, values.with(index, value as never))
  const extra = tail(3) + 64
  return {
    policy,
    allowed: [
      ['the canonical encoding', transaction({ data: good })],
      ['one recipient', changed(0, [PAYEE])],
      [
        'a payee among others',
        changed(3, [
          [THIEF, '0x01020304', true, 7, -2],
          [PAYEE, '0x01020304', true, 7, -2],
        ]),
      ],
    ],
    attacks: [
      [
        'overlapping arrays: both offsets lead to one',
        patched(head(1), word(offsetAt(0))),
        'bad_offset',
      ],
      [
        'overlapping tuples: an offset into another value',
        patched(head(3), word(offsetAt(2))),
        'bad_offset',
      ],
      ['wrong offset: into the head', patched(head(0), word(0)), 'bad_offset'],
      ['wrong offset: one byte further', patched(head(0), word(offsetAt(0) + 1)), 'bad_offset'],
      ['wrong offset: a word further', patched(head(2), word(offsetAt(2) + 32)), 'bad_offset'],
      ['wrong offset: beyond the end', patched(head(3), word(100_000)), 'bad_offset'],
      ['wrong offset: wraps at 2^256', patched(head(0), word(-32)), 'bad_offset'],
      [
        'wrong offset: wraps at 2^32',
        patched(head(0), word(2n ** 32n + BigInt(offsetAt(0)))),
        'bad_offset',
      ],
      ['swapped tails', patched(head(0), word(offsetAt(1)) + word(offsetAt(0))), 'bad_offset'],
      ['a length that is too large', patched(tail(3), word(1_000_000)), 'data_truncated'],
      ['a length of 2^256 - 1', patched(tail(0), word(-1)), 'data_truncated'],
      ['a length that is too small', patched(tail(0), word(1)), 'bad_offset'],
      ['dirty padding after a string', patched(tail(2) + 64 + 2 * 8, '01'), 'dirty_padding'],
      ['invalid UTF-8 in a string', patched(tail(2) + 64, '70ff79'), 'invalid_text'],
      ['dirty padding after bytes4', patched(extra + 64 + 8, '01'), 'dirty_padding'],
      ['a bool of 2', patched(extra + 2 * 64, word(2)), 'invalid_bool'],
      ['a bool of 2^255', patched(extra + 2 * 64, word(2n ** 255n + 1n)), 'invalid_bool'],
      ['uint width: 256 in a uint8', patched(extra + 3 * 64, word(256)), 'number_out_of_range'],
      [
        'int width: 2^15 in an int16',
        patched(extra + 4 * 64, word(2 ** 15)),
        'number_out_of_range',
      ],
      [
        'int width: without its sign extension',
        patched(extra + 4 * 64, word(0xfffe)),
        'number_out_of_range',
      ],
      [
        'trailing data after the last tail',
        transaction({ data: `${good}${word(0)}` }),
        'trailing_data',
      ],
      ['an outsider among the recipients', changed(0, [PAYEE, THIEF]), 'condition_failed'],
      ['every of an empty array', changed(0, []), 'condition_failed'],
      ['some of an empty array', changed(3, []), 'condition_failed'],
      ['an element of an empty array', changed(1, []), 'condition_failed'],
      ['an amount behind the checked one', changed(1, [1n, 5n, 6n]), 'condition_failed'],
      ['a text with a look-alike prefix', changed(2, 'рayroll'), 'condition_failed'],
    ],
  }
}

function approvals(): Family {
  return {
    policy: allowing({ kind: 'transaction', chains: [1], to: 'any', calls: 'any' }),
    allowed: [
      ['an approval of an amount', call('approve(address,uint256)', [THIEF, 5n])],
      ['a revoked approval', call('setApprovalForAll(address,bool)', [THIEF, false])],
      [
        'DAI’s permit that revokes',
        call('permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)', [
          WALLET,
          THIEF,
          0,
          0,
          false,
          27,
          `0x${word(0)}`,
          `0x${word(0)}`,
        ]),
      ],
      ['another function', call('mint(uint256)', [5n])],
    ],
    attacks: [
      [
        'an unlimited approval',
        call('approve(address,uint256)', [THIEF, MAX]),
        'unlimited_approval',
      ],
      [
        'an approval that is nearly unlimited',
        call('approve(address,uint256)', [THIEF, 2n ** 255n]),
        'unlimited_approval',
      ],
      [
        'increaseAllowance without a limit',
        call('increaseAllowance(address,uint256)', [THIEF, MAX]),
        'unlimited_approval',
      ],
      [
        'increaseApproval without a limit',
        call('increaseApproval(address,uint256)', [THIEF, MAX]),
        'unlimited_approval',
      ],
      [
        'approveAndCall without a limit',
        call('approveAndCall(address,uint256,bytes)', [THIEF, MAX, '0x']),
        'unlimited_approval',
      ],
      [
        'setApprovalForAll',
        call('setApprovalForAll(address,bool)', [THIEF, true]),
        'unlimited_approval',
      ],
      ['authorizeOperator', call('authorizeOperator(address)', [THIEF]), 'unlimited_approval'],
      [
        'DAI’s permit: allowed has no amount',
        call('permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)', [
          WALLET,
          THIEF,
          0,
          0,
          true,
          27,
          `0x${word(0)}`,
          `0x${word(0)}`,
        ]),
        'unlimited_approval',
      ],
      [
        'EIP-2612 without a limit',
        call('permit(address,address,uint256,uint256,uint8,bytes32,bytes32)', [
          WALLET,
          THIEF,
          MAX,
          0,
          27,
          `0x${word(0)}`,
          `0x${word(0)}`,
        ]),
        'unlimited_approval',
      ],
      [
        'Permit2: the highest uint160',
        call('approve(address,address,uint160,uint48)', [USDC, THIEF, 2n ** 160n - 1n, 0]),
        'unlimited_approval',
      ],
      [
        'Permit2: half of the highest uint160',
        call('approve(address,address,uint160,uint48)', [USDC, THIEF, 2n ** 159n, 0]),
        'unlimited_approval',
      ],
      [
        'zero-address recipient: transfer',
        call('transfer(address,uint256)', [ZERO, 5n]),
        'zero_address',
      ],
      ['zero-address recipient: burn', call('burn(uint256)', [5n]), 'zero_address'],
      [
        'zero-address recipient: the transaction',
        transaction({ to: ZERO, data: '0x' }),
        'zero_address',
      ],
      [
        'setApprovalForAll with a bool of 2',
        transaction({ data: `0xa22cb465${addressWord(THIEF)}${word(2)}` }),
        'invalid_bool',
      ],
      [
        'approve with dirty padding',
        transaction({ data: `0x095ea7b3ff${addressWord(THIEF).slice(2)}${word(MAX)}` }),
        'dirty_padding',
      ],
      [
        'approve with trailing data',
        transaction({ data: `0x095ea7b3${addressWord(THIEF)}${word(MAX)}00` }),
        'trailing_data',
      ],
      ['contract creation in spite of "any"', transaction({ to: null }), 'contract_creation'],
    ],
  }
}

function nestedCalls(): Family {
  const inner = transfer(THIEF, MAX)
  const none = `0x${word(0)}`
  const safe = (operation: number) =>
    call(
      'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
      [USDC, 0, inner, operation, 0, 0, 0, ZERO, ZERO, '0x'],
    )
  return {
    policy: allowing({ kind: 'transaction', chains: [1], to: 'any', calls: 'any' }),
    allowed: [['a function without nested calls', call('deposit()', [])]],
    attacks: [
      ['multicall', call('multicall(bytes[])', [[inner]]), 'nested_calls'],
      [
        'multicall with a deadline',
        call('multicall(uint256,bytes[])', [0, [inner]]),
        'nested_calls',
      ],
      [
        'multicall with a block hash',
        call('multicall(bytes32,bytes[])', [none, [inner]]),
        'nested_calls',
      ],
      ['multicall without calls', call('multicall(bytes[])', [[]]), 'nested_calls'],
      [
        'Multicall3 aggregate',
        call('aggregate((address,bytes)[])', [[[USDC, inner]]]),
        'nested_calls',
      ],
      [
        'Multicall3 tryAggregate',
        call('tryAggregate(bool,(address,bytes)[])', [true, [[USDC, inner]]]),
        'nested_calls',
      ],
      [
        'Multicall3 aggregate3',
        call('aggregate3((address,bool,bytes)[])', [[[USDC, true, inner]]]),
        'nested_calls',
      ],
      [
        'Multicall3 aggregate3Value',
        call('aggregate3Value((address,bool,uint256,bytes)[])', [[[USDC, true, 0, inner]]]),
        'nested_calls',
      ],
      ['Safe: a call', safe(0), 'nested_calls'],
      ['Safe: a delegate call', safe(1), 'delegate_call'],
      [
        'Safe: a module’s delegate call',
        call('execTransactionFromModule(address,uint256,bytes,uint8)', [USDC, 0, inner, 1]),
        'delegate_call',
      ],
      ['Safe: multiSend', call('multiSend(bytes)', [inner]), 'delegate_call'],
      ['DSProxy execute', call('execute(address,bytes)', [USDC, inner]), 'delegate_call'],
      [
        'a smart account’s execute',
        call('execute(address,uint256,bytes)', [USDC, 0, inner]),
        'nested_calls',
      ],
      [
        'a smart account’s executeBatch',
        call('executeBatch(address[],bytes[])', [[USDC], [inner]]),
        'nested_calls',
      ],
      ['ERC-7579 execute', call('execute(bytes32,bytes)', [none, inner]), 'nested_calls'],
      [
        'Universal Router execute',
        call('execute(bytes,bytes[],uint256)', ['0x00', [inner], 0]),
        'nested_calls',
      ],
      ['proxies: upgradeTo', call('upgradeTo(address)', [THIEF]), 'delegate_call'],
      [
        'proxies: upgradeToAndCall',
        call('upgradeToAndCall(address,bytes)', [THIEF, inner]),
        'delegate_call',
      ],
      [
        'proxies: diamondCut',
        call('diamondCut((address,uint8,bytes4[])[],address,bytes)', [[], THIEF, inner]),
        'delegate_call',
      ],
      [
        'multicall with overlapping offsets',
        transaction({ data: `0xac9650d8${word(0)}${word(0)}` }),
        'bad_offset',
      ],
    ],
  }
}

function sums(): Family {
  const tokens = [
    { name: 'USDC', chain: 1, address: USDC },
    { name: 'NFT', chain: 1, address: NFT, standard: 'erc721' },
    { name: 'items', chain: 1, address: OTHER_PAYEE, standard: 'erc1155' },
  ]
  const policy = allowing(
    {
      kind: 'transaction',
      chains: [1, 10],
      to: 'any',
      calls: 'any',
      value_max: '1000',
      sums: ['tokens', 'native'],
    },
    {
      tokens,
      sums: [
        { name: 'tokens', of: 'tokens', tokens: ['USDC', 'NFT', 'items'], window_s: 60, max: '2' },
        { name: 'native', of: 'native_spend', window_s: 60, max: '1000000000000000000' },
      ],
    },
  )
  const at = { to: OTHER_PAYEE }
  return {
    policy,
    allowed: [
      ['a transfer within the sum', call('transfer(address,uint256)', [THIEF, 2n])],
      [
        'two tokens with high IDs',
        call('transferFrom(address,address,uint256)', [WALLET, THIEF, MAX], { to: NFT }),
      ],
      [
        'an approval of one token with a high ID',
        call('approve(address,uint256)', [THIEF, MAX], { to: NFT }),
      ],
      [
        'an ERC-1155 batch of two',
        call(
          'safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)',
          [WALLET, THIEF, [1, 2], [1, 1], '0x'],
          at,
        ),
      ],
      ['native value', transaction({ data: '0x', value: '1000' })],
    ],
    attacks: [
      [
        'a token that no sum counts',
        call('transfer(address,uint256)', [THIEF, 1n], { to: DAI }),
        'not_counted',
      ],
      [
        'the token’s address on another chain',
        call('transfer(address,uint256)', [THIEF, 1n], { chainId: 10 }),
        'not_counted',
      ],
      ['a function whose effect is unknown', call('mint(uint256)', [1n]), 'not_counted'],
      [
        'Permit2: the token is an argument',
        call('transferFrom(address,address,uint160,address)', [WALLET, THIEF, 1n, DAI], {
          to: USDC,
        }),
        'not_counted',
      ],
      ['more than the sum', call('transfer(address,uint256)', [THIEF, 3n]), 'over_sum'],
      ['approve counts as spent', call('approve(address,uint256)', [THIEF, 3n]), 'over_sum'],
      [
        'increaseAllowance counts as spent',
        call('increaseAllowance(address,uint256)', [THIEF, 3n]),
        'over_sum',
      ],
      [
        'transferFrom counts as spent',
        call('transferFrom(address,address,uint256)', [WALLET, THIEF, 3n]),
        'over_sum',
      ],
      ['burn counts as spent', call('burnFrom(address,uint256)', [WALLET, 3n]), 'zero_address'],
      [
        'transferAndCall counts as spent',
        call('transferAndCall(address,uint256,bytes)', [THIEF, 3n, '0x']),
        'over_sum',
      ],
      [
        'permit counts as spent',
        call('permit(address,address,uint256,uint256,uint8,bytes32,bytes32)', [
          WALLET,
          THIEF,
          3n,
          0,
          27,
          `0x${word(0)}`,
          `0x${word(0)}`,
        ]),
        'over_sum',
      ],
      [
        'transferWithAuthorization counts as spent',
        call(
          'transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
          [WALLET, THIEF, 3n, 0, 0, `0x${word(0)}`, 27, `0x${word(0)}`, `0x${word(0)}`],
        ),
        'over_sum',
      ],
      [
        'an ERC-1155 batch adds up',
        call(
          'safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)',
          [WALLET, THIEF, [1, 2], [2, 1], '0x'],
          at,
        ),
        'over_sum',
      ],
      [
        'Permit2 batch adds up',
        call('transferFrom((address,address,uint160,address)[])', [
          [
            [WALLET, THIEF, 2n, USDC],
            [WALLET, PAYEE, 1n, USDC],
          ],
        ]),
        'over_sum',
      ],
      [
        'setApprovalForAll has no amount',
        call('setApprovalForAll(address,bool)', [THIEF, true], { to: NFT }),
        'unlimited_approval',
      ],
      [
        'burning the native sum by the gas price',
        transaction({ data: '0x', maxFeePerGas: '20000000000000' }),
        'over_sum',
      ],
      [
        'burning the native sum by the gas limit',
        transaction({ data: '0x', gasLimit: '100000000' }),
        'over_sum',
      ],
      [
        'nested calls beside a sum',
        call('multicall(bytes[])', [[transfer(THIEF, 3n)]]),
        'nested_calls',
      ],
    ],
  }
}

function denials(): Family {
  const policy = policyOf({
    version: 1,
    lists: [{ name: 'blocked', addresses: [THIEF] }],
    rules: [
      {
        name: 'block',
        effect: 'deny',
        kind: 'transaction',
        chains: 'any',
        to: 'any',
        calls: [
          {
            function: 'transfer(address to, uint256 amount)',
            conditions: [{ path: 'to', in: ['@blocked'] }],
          },
        ],
      },
      {
        name: 'block too',
        effect: 'deny',
        kind: 'transaction',
        chains: 'any',
        to: ['@blocked'],
        calls: 'any',
      },
      {
        name: 'all',
        effect: 'allow',
        kind: 'transaction',
        chains: 'any',
        to: 'any',
        calls: 'any',
        value_max: '5',
      },
    ],
  })
  const blocked = transfer(THIEF, 1n)
  return {
    policy,
    allowed: [
      ['a transfer to somebody else', transaction()],
      ['another function', call('mint(uint256)', [1n])],
    ],
    attacks: [
      ['the blocked recipient', transaction({ data: blocked }), 'denied_by_rule'],
      [
        'the blocked recipient on another chain',
        transaction({ data: blocked, chainId: 5 }),
        'denied_by_rule',
      ],
      [
        'the blocked recipient, in data that the rule cannot decode: dirty padding',
        data(`ff${addressWord(THIEF).slice(2)}`, word(1)),
        'dirty_padding',
      ],
      [
        'the blocked recipient, in data that the rule cannot decode: trailing data',
        transaction({ data: `${blocked}00` }),
        'trailing_data',
      ],
      [
        'the blocked recipient, in data that the rule cannot decode: truncated data',
        transaction({ data: blocked.slice(0, -2) }),
        'data_truncated',
      ],
      [
        'value to the blocked address',
        transaction({ to: THIEF, data: '0x', value: 5 }),
        'denied_by_rule',
      ],
      [
        'value to the blocked address in lower case',
        transaction({ to: THIEF.toLowerCase(), data: '0x' }),
        'denied_by_rule',
      ],
      [
        'a blob transaction to the blocked address',
        transaction({
          to: THIEF,
          type: 3,
          maxFeePerBlobGas: 1,
          blobVersionedHashes: [`0x01${'0'.repeat(62)}`],
        }),
        'denied_by_rule',
      ],
    ],
  }
}

describe.each(Object.entries(FAMILIES))('%s', (_, { policy, allowed, attacks }) => {
  it.each(allowed)('allows %s', (_name, request, context) => {
    const decision = decide(policy, request, context)
    expect(verdict(decision), decision.explanation.join(' ')).toBe('allow')
  })

  it.each(attacks)('denies %s', (_name, request, code, context) => {
    expect(verdict(decide(policy, request, context))).toBe(code)
  })
})

describe('a rule that names the danger', () => {
  const allows = (rule: object, request: unknown) =>
    verdict(
      decide(
        allowing({ kind: 'transaction', chains: [1], to: 'any', calls: 'any', ...rule }),
        request,
      ),
    )

  it.each<[string, object, unknown]>([
    [
      'unlimited approvals',
      { unlimited_approval: true },
      call('approve(address,uint256)', [THIEF, MAX]),
    ],
    ['nested calls', { unchecked_nested_calls: true }, call('multicall(bytes[])', [[]])],
    ['delegate calls', { delegate_call: true }, call('upgradeTo(address)', [THIEF])],
    ['the zero address', { zero_address: true }, call('burn(uint256)', [1n])],
    ['contract creation', { to: 'creation' }, transaction({ to: null })],
    [
      'blob transactions',
      { transaction_types: [3] },
      transaction({ type: 3, maxFeePerBlobGas: 1, blobVersionedHashes: [`0x01${'0'.repeat(62)}`] }),
    ],
    [
      'unknown selectors',
      { calls: [{ selector: '0xdeadbeef' }] },
      transaction({ data: '0xdeadbeef00' }),
    ],
    ['native value', { calls: 'none', value_max: '5' }, transaction({ data: '0x', value: 5 })],
  ])('allows %s', (_, rule, request) => {
    expect(allows(rule, request)).toBe('allow')
  })

  it('does not allow delegate calls because it names nested calls', () => {
    const request = call('multiSend(bytes)', ['0x'])
    expect(allows({ unchecked_nested_calls: true }, request)).toBe('delegate_call')
    expect(allows({ delegate_call: true }, request)).toBe('nested_calls')
  })
})
