/** Attempts to get calldata past a policy: encodings that are not canonical, and calls inside of calls. */
import { type Family, testFamilies } from './attack-families.ts'
import {
  addressWord,
  allowing,
  call,
  calldata,
  OTHER_PAYEE,
  PAYEE,
  PAYROLL,
  policyOf,
  THIEF,
  transaction,
  transfer,
  transferOf,
  USDC,
  WALLET,
  word,
  ZERO,
} from './requests.ts'

const SELECTOR = '0xa9059cbb'
const GOOD = transfer(PAYEE, 1n)
const MAX = 2n ** 256n - 1n
const payroll = policyOf(PAYROLL)

testFamilies({
  'calldata of a transfer': {
    policy: payroll,
    allowed: [
      ['the canonical encoding', transferOf(addressWord(PAYEE), word(50_000_000))],
      [
        'the canonical encoding in upper case',
        transaction({ data: `0x${GOOD.slice(2).toUpperCase()}` }),
      ],
      ['another payee', transferOf(addressWord(OTHER_PAYEE), word(1))],
    ],
    attacks: [
      [
        'dirty padding: a bit above the address',
        transferOf(`${'0'.repeat(23)}1${PAYEE.slice(2)}`, word(1)),
        'dirty_padding',
      ],
      [
        'dirty padding: the first byte of the address word',
        transferOf(`ff${addressWord(PAYEE).slice(2)}`, word(1)),
        'dirty_padding',
      ],
      [
        'dirty padding: an address that is aligned to the left',
        transferOf(PAYEE.slice(2).padEnd(64, '0'), word(1)),
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
      ['truncated data: the amount', transferOf(addressWord(PAYEE)), 'data_truncated'],
      ['truncated data: only the selector', transaction({ data: SELECTOR }), 'data_truncated'],
      [
        'short address: the amount shifts to the left',
        transferOf(addressWord(PAYEE).slice(0, -2), word(1)),
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
      ['data as bytes', transaction({ data: [0xa9, 0x05, 0x9c, 0xbb] }), 'data_truncated'],
      ['numbers that are no bytes', transaction({ data: [0xa9, 256] }), 'invalid_hex'],
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
      ['one unit too much', transferOf(addressWord(PAYEE), word(50_000_001)), 'condition_failed'],
      ['a huge amount', transferOf(addressWord(PAYEE), word(MAX)), 'condition_failed'],
      [
        'a negative amount in two’s complement',
        transferOf(addressWord(PAYEE), word(-1)),
        'condition_failed',
      ],
      [
        'an address that differs in its last digit',
        transferOf(addressWord(PAYEE).replace(/.$/, '9'), word(1)),
        'condition_failed',
      ],
      [
        'an address that differs in its middle',
        transferOf(addressWord(PAYEE).replace('c51812', 'c51813'), word(1)),
        'condition_failed',
      ],
      ['the zero address as recipient', transferOf(addressWord(ZERO), word(1)), 'condition_failed'],
      ['the wallet as recipient', transferOf(addressWord(WALLET), word(1)), 'condition_failed'],
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
  'calldata with dynamic arguments': dynamicArguments(),
  'nested calls': nestedCalls(),
})

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
