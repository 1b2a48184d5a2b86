/** Attempts to spend more than a policy allows, and to get past rules that deny or name a danger. */
import { describe, expect, it } from 'vitest'
import { type Family, testFamilies } from './attack-families.ts'
import {
  addressWord,
  allowing,
  call,
  DAI,
  decide,
  OTHER_PAYEE,
  PAYEE,
  policyOf,
  THIEF,
  transaction,
  transfer,
  transferOf,
  USDC,
  verdict,
  WALLET,
  word,
  ZERO,
} from './requests.ts'

const NFT = '0xBC4CA0EdA7647A8aB7C2061c2E118A18a936f13D'
const MAX = 2n ** 256n - 1n
testFamilies({
  approvals: approvals(),
  sums: sums(),
  'rules that deny': denials(),
})

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
        transferOf(`ff${addressWord(THIEF).slice(2)}`, word(1)),
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

describe('exhaustion: a batch of transfers to many recipients', () => {
  const names = ['an hour', 'a day', 'a week']
  const policy = allowing(
    { kind: 'transaction', chains: [1], to: 'any', calls: 'any', sums: names },
    {
      tokens: [{ name: 'USDC', chain: 1, address: USDC }],
      sums: names.map((name) => ({
        name,
        of: 'tokens',
        tokens: ['USDC'],
        per_recipient: true,
        window_s: 3_600,
        max: '100',
      })),
    },
  )
  const batch = (count: number) => {
    const recipients = Array.from({ length: count }, (_, at) => `0x${word(at + 1).slice(24)}`)
    return call('transferFrom((address,address,uint160,address)[])', [
      recipients.map((to) => [WALLET, to, 1n, USDC]),
    ])
  }

  it('is allowed up to 1,024 sums', () => {
    const decision = decide(policy, batch(341))
    expect(decision.decision === 'allow' && decision.charges.length).toBe(1_023)
  })

  it('is denied if it would add to more', () => {
    expect(verdict(decide(policy, batch(342)))).toBe('too_many_sums')
  })
})
