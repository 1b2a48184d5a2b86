import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STORAGE_LAYOUT } from '../../../origin/contracts/upgrade.ts'
import {
  addressOf,
  cidHashOf,
  cidOf,
  hashOf,
  pkpIdOf,
  startAccountConfig,
  usageKey,
} from './account-config.ts'
import type { AccountConfig } from './account-config.ts'
import { openBatch, type Call } from './batch.ts'
import { terms } from './policies.ts'
import { base, slotOf, word } from './slots.ts'

// The diamond outlives its facets: every later facet must find the data at these locations.

let config: AccountConfig
let account: bigint
let simulate: Awaited<ReturnType<typeof openBatch>>

beforeAll(async () => {
  config = await startAccountConfig({ token: 'ETH' })
  account = await config.newAccount('storage')
  await config.write(config.payer, 'setUsageApiKey', account, hashOf('usage'), usageKey())
  simulate = await openBatch(config)
})
afterAll(() => config.close())

/** Reads `bits` bits of a slot, from bit `from` on. */
const bitsOf = (value: bigint, from: number, bits: number) =>
  (value >> BigInt(from)) & ((1n << BigInt(bits)) - 1n)
const bytes = (text: string, length: number) =>
  BigInt(
    `0x${Buffer.from(text)
      .toString('hex')
      .padEnd(length * 2, '0')}`,
  )
const member = (hash: bigint, index: bigint) => slotOf(hash, base + 1n) + index

test('the namespace is the ERC-7201 slot of svc.storage.AccountConfig.2, and begins with the version', async () => {
  expect(BigInt(STORAGE_LAYOUT.slot)).toBe(base)
  expect(await config.storage(base)).toBe(STORAGE_LAYOUT.version)
})

test('slot 1 holds the accounts', async () => {
  const packed = await config.storage(member(account, 0n))
  const { createdAt } = await config.read('accountOf', account)
  expect(bitsOf(packed, 0, 160)).toBe(BigInt(addressOf('storage')))
  expect(bitsOf(packed, 160, 8)).toBe(1n)
  expect(bitsOf(packed, 168, 8)).toBe(0n)
  expect(bitsOf(packed, 176, 40)).toBe(createdAt)
  expect(bitsOf(packed, 216, 40)).toBe(1n)
  const second = await config.storage(member(account, 1n))
  expect([0, 32, 64].map((from) => bitsOf(second, from, 32))).toEqual([0n, 1n, 0n])
  expect(bitsOf(second, 96, 32)).toBe(BigInt('storage'.length))
  expect(second >> 128n).toBe(bytes('storage', 16))
})

test('slot 2 maps an alias to its account, and slot 3 marks only rotated keys', async () => {
  const rotated = await config.newAccount('rotated')
  const next = hashOf('its next key')
  await config.write(config.payer, 'rotateAccountApiKey', rotated, next)
  expect(await config.storage(slotOf(next, base + 2n))).toBe(rotated)
  expect(await config.storage(slotOf(rotated, base + 3n))).toBe(1n)
  expect(await config.storage(slotOf(next, base + 3n))).toBe(0n)
  expect(bitsOf(await config.storage(member(rotated, 0n)), 168, 8)).toBe(1n)
})

test('slot 4 maps a usage key hash to its account', async () => {
  expect(await config.storage(slotOf(hashOf('usage'), base + 4n))).toBe(account)
})

test('slot 5 maps every current or former admin wallet to its account', async () => {
  expect(await config.storage(slotOf(BigInt(addressOf('storage')), base + 5n))).toBe(account)
})

test('slots 6 and 7 hold the set of api payers', async () => {
  expect(await config.storage(base + 6n)).toBe(2n)
  expect(await config.storage(slotOf(BigInt(config.payer.address), base + 7n))).toBe(1n)
})

test('slot 8 holds the node configuration', async () => {
  const value = await config.storage(slotOf('token', base + 8n))
  expect(value.toString(16)).toMatch(new RegExp(`^${Buffer.from('ETH').toString('hex')}0*6$`))
})

test('slot 9 marks a used proof', async () => {
  const converted = await config.newAccount('converted')
  const proof = hashOf('proof')
  const args = [converted, addressOf('admin'), word(proof)]
  await config.write(config.payer, 'convertToChainSecuredAccount', ...args)
  expect(await config.storage(slotOf(proof, base + 9n))).toBe(1n)
})

/** Indexes of members in `Account`. */
const WALLETS = 5n
const GROUPS = 7n
const USAGE_API_KEYS = 9n
const ACTIONS = 11n
const POLICIES = 12n

test('a policy takes two slots, and three while a change is pending', async () => {
  const hash = await config.newAccount('policies')
  const [pkpId, path] = [pkpIdOf('with a policy'), pkpIdOf('path')]
  const [first, second] = [terms('first', 3_600), terms('second', 60, true)]
  const slot = slotOf(BigInt(pkpId), member(hash, POLICIES))
  const slots = () => Promise.all([0n, 1n, 2n, 3n].map((offset) => config.storage(slot + offset)))
  await config.write(config.payer, 'registerPolicyWallet', hash, pkpId, path, '', '', first, '0x')
  const { setAt } = await config.read('walletPolicyOf', hash, pkpId)
  const packed = (at: bigint, pendingAt: bigint, pendingDelay: bigint, flags: bigint) =>
    at | (pendingAt << 40n) | (3_600n << 80n) | (pendingDelay << 120n) | (flags << 160n)
  const holds = BigInt(first.policyHash)
  expect(await slots()).toEqual([holds, 0n, packed(setAt, 0n, 0n, 0n), 0n])

  const change = [hash, pkpId, first.policyHash, second, false, '0x']
  await config.write(config.payer, 'setWalletPolicy', ...change)
  const { setAt: changedAt } = await config.read('walletPolicyOf', hash, pkpId)
  const pending = packed(changedAt, changedAt + 3_600n, 60n, 0x0100n)
  expect(await slots()).toEqual([holds, BigInt(second.policyHash), pending, 0n])
})

describe('a record', () => {
  const LONG = 'x'.repeat(200)
  const key = (name: string, description: string, executeInGroups: bigint[]) =>
    usageKey({ name, description, executeInGroups })

  /** All words of a record: its slots from `first` on, and more words of its text than any test writes. */
  const wordsOf = (slot: bigint, first: bigint, count: bigint) =>
    Promise.all([
      ...Array.from({ length: Number(count) }, (_, n) => config.storage(slot + first + BigInt(n))),
      ...Array.from({ length: 24 }, (_, n) =>
        config.storage(slotOf(BigInt(n), slot + first + count)),
      ),
    ])

  test.each<[string, bigint, bigint, bigint, Call[], Call[]]>([
    [
      'wallet',
      WALLETS,
      BigInt(pkpIdOf('w')),
      2n,
      [['registerWalletDerivation', pkpIdOf('w'), pkpIdOf('p'), LONG, LONG]],
      [['registerWalletDerivation', pkpIdOf('w'), pkpIdOf('p'), 'name', '']],
    ],
    [
      'group',
      GROUPS,
      1n,
      1n,
      [['addGroup', LONG, LONG, [], [1n, 2n, 3n]]],
      [['updateGroup', 1n, 15n, { name: 'name', description: '', pkpIds: [], cidHashes: [7n] }]],
    ],
    [
      'usage key',
      USAGE_API_KEYS,
      hashOf('k'),
      1n,
      [
        [
          'setUsageApiKey',
          hashOf('k'),
          key(
            LONG,
            LONG,
            Array.from({ length: 50 }, () => 1n),
          ),
        ],
      ],
      [['updateUsageApiKey', hashOf('k'), 511n, key('name', '', [1n])]],
    ],
    [
      'action',
      ACTIONS,
      cidHashOf(cidOf('a')),
      1n,
      [['addAction', cidOf('a'), LONG, LONG]],
      [['updateActionMetadata', cidHashOf(cidOf('a')), 3n, 'name', '']],
    ],
  ])(
    'of a %s keeps nothing of a longer one',
    async (kind, index, recordKey, slots, long, short) => {
      // The same short record, in one account written directly and in the other over a long one.
      const direct: Record<string, Call[]> = {
        wallet: short,
        group: [['addGroup', 'name', '', [], [7n]]],
        'usage key': [
          ['addGroup', '', '', [], []],
          ['setUsageApiKey', hashOf(`k2`), key('name', '', [1n])],
        ],
        action: [['addAction', cidOf('a'), 'name', '']],
      }
      const first = await config.newAccount(`${kind} over a long one`)
      const second = await config.newAccount(`${kind} alone`)
      const setUp: Call[] = kind === 'usage key' ? [['addGroup', '', '', [], []]] : []
      for (const [name, ...args] of [...setUp, ...long, ...short])
        await config.write(config.payer, name, first, ...args)
      for (const [name, ...args] of direct[kind]!)
        await config.write(config.payer, name, second, ...args)
      const other = kind === 'usage key' ? hashOf('k2') : recordKey
      const over = await wordsOf(slotOf(recordKey, member(first, index)), 0n, slots)
      const alone = await wordsOf(slotOf(other, member(second, index)), 0n, slots)
      if (kind === 'usage key') {
        // They were created at different times.
        over[0] = over[0]! >> 40n
        alone[0] = alone[0]! >> 40n
      }
      expect(over).toEqual(alone)
      expect(over.some((value) => value !== 0n)).toBe(true)
    },
  )

  test('of a usage key or an action is all zeros once removed', async () => {
    const hash = await config.newAccount('removed records')
    const write = (name: string, ...args: unknown[]) =>
      config.write(config.payer, name, hash, ...args)
    await write('addGroup', '', '', [], [])
    await write('setUsageApiKey', hashOf('gone'), key(LONG, LONG, [0n, 1n, 1n]))
    await write('addAction', cidOf('gone'), LONG, LONG)
    const records = async () => [
      ...(await wordsOf(slotOf(hashOf('gone'), member(hash, USAGE_API_KEYS)), 0n, 1n)),
      ...(await wordsOf(slotOf(cidHashOf(cidOf('gone')), member(hash, ACTIONS)), 0n, 1n)),
    ]
    expect((await records()).filter((value) => value !== 0n).length).toBeGreaterThan(20)
    await write('removeUsageApiKey', hashOf('gone'))
    await write('deleteAction', cidHashOf(cidOf('gone')))
    expect((await records()).every((value) => value === 0n)).toBe(true)
  })
})

describe('at the limit of a packed field', () => {
  const PANIC_OVERFLOW = ['Panic', 0x11n]
  const MAX = (1n << 32n) - 1n
  const newAccount: Call = ['newAccount', hashOf('limits'), addressOf('limits'), '', '']
  const of = (name: string, ...args: unknown[]): Call => [name, account, ...args]

  test('a time is stored as it is, or rejected', async () => {
    const last = (1n << 40n) - 1n
    const use: Call = ['setUsageApiKey', hashOf('limits'), hashOf('used'), usageKey()]
    const read: Call = ['accountOf', hashOf('limits')]
    const outcomes = await simulate([newAccount, use, read], { time: last })
    const view = outcomes[2]!.result![0]
    expect([view.createdAt, view.usageApiKeys[0].createdAt]).toEqual([last, last])
    const refusal = ['InvalidRequest', "the block's time is out of range"]
    const setKey = of('setUsageApiKey', hashOf('late'), usageKey())
    expect(await simulate([newAccount, setKey], { time: last + 1n })).toEqual([
      { refusal },
      { refusal },
    ])
  })

  test.each<[string, number, Call]>([
    ['wallets', 0, ['registerWalletDerivation', pkpIdOf('w'), pkpIdOf('p'), '', '']],
    ['usage keys', 32, ['setUsageApiKey', hashOf('one too many'), usageKey()]],
    ['actions', 64, ['addAction', cidOf('one too many'), '', '']],
  ])('the number of %s does not wrap', async (_kind, from, [name, ...args]) => {
    const slot = member(account, 1n)
    const full = (await config.storage(slot)) | (MAX << BigInt(from))
    const outcomes = await simulate([of(name, ...args)], { storage: new Map([[slot, full]]) })
    expect(outcomes).toEqual([{ refusal: PANIC_OVERFLOW }])
  })

  test('the highest group IDs are kept apart, and do not wrap', async () => {
    const slot = member(account, 0n)
    const others = (await config.storage(slot)) & ((1n << 216n) - 1n)
    const storage = new Map([[slot, others | ((MAX - 1n) << 216n)]])
    const highest = MAX - 1n
    const key = hashOf('of the highest group')
    const outcomes = await simulate(
      [
        of('addGroup', '', '', [], [5n]),
        of('setUsageApiKey', key, usageKey({ executeInGroups: [highest] })),
        ['mayExecute', key, 5n, word(0n)],
        ['mayExecute', key, 6n, word(0n)],
        of('setUsageApiKey', hashOf('next'), usageKey({ executeInGroups: [highest + 1n] })),
        of('setUsageApiKey', hashOf('next'), usageKey({ executeInGroups: [(1n << 32n) + 1n] })),
        of('addGroup', '', '', [], []),
        of('removeGroup', highest),
        ['mayExecute', key, 5n, word(0n)],
        of('removeGroup', highest),
      ],
      { storage },
    )
    expect(outcomes.map(({ result, refusal }) => refusal ?? result.toArray())).toEqual([
      [highest],
      [],
      [true],
      [false],
      ['GroupDoesNotExist', account, highest + 1n],
      ['GroupDoesNotExist', account, (1n << 32n) + 1n],
      PANIC_OVERFLOW,
      [],
      [false],
      ['GroupDoesNotExist', account, highest],
    ])
  })

  test('removed groups around a word of 256 are skipped', async () => {
    const slot = member(account, 0n)
    const others = (await config.storage(slot)) & ((1n << 216n) - 1n)
    const removed = slotOf(1n, member(account, 6n))
    // Groups 1 to 600 were created, and 256 to 511 except 300 were removed.
    const storage = new Map([
      [slot, others | (601n << 216n)],
      [removed, ((1n << 256n) - 1n) ^ (1n << 44n)],
    ])
    const gone = [256n, 299n, 301n, 511n]
    const outcomes = await simulate(
      [
        ['accountOf', account],
        ...gone.map((group): Call => ['groupOf', account, group]),
        of('removeGroup', 300n),
        ['accountOf', account],
      ],
      { storage },
    )
    const ids = (index: number) =>
      outcomes[index]!.result![0].groups.map(({ groupId }: { groupId: bigint }) => groupId)
    const range = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, n) => BigInt(from + n))
    expect(ids(0)).toEqual([...range(1, 255), 300n, ...range(512, 600)])
    for (const [index, group] of gone.entries())
      expect(outcomes[index + 1]!.refusal).toEqual(['GroupDoesNotExist', account, group])
    expect(ids(6)).toEqual([...range(1, 255), ...range(512, 600)])
  })
})

test('an account with a wallet, a group and a usage key takes at most 480,000 gas', async () => {
  const hash = hashOf('whole account')
  const wallet = pkpIdOf('of the whole account')
  const key = usageKey({ name: 'short name', executeInGroups: [1n] })
  const writes: Call[] = [
    ['newAccount', hash, addressOf('whole account'), 'short name', ''],
    ['registerWalletDerivation', hash, wallet, pkpIdOf('path'), 'short name', ''],
    ['addGroup', hash, 'short name', '', [wallet], [cidHashOf('action')]],
    ['setUsageApiKey', hash, hashOf('key of the whole account'), key],
  ]
  let used = 0n
  for (const [name, ...args] of writes)
    used += (await config.write(config.payer, name, ...args)).gasUsed
  expect(used).toBeLessThanOrEqual(480_000n)
})
