import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  cidHashOf,
  cidOf,
  EVERY_WALLET,
  hashOf,
  pkpIdOf,
  startAccountConfig,
  usageKey,
} from './account-config.ts'
import type { AccountConfig } from './account-config.ts'

let config: AccountConfig
let account: bigint

const [FIRST, SECOND, REMOVED] = [1n, 2n, 3n]
const ABSENT = 99n

beforeAll(async () => {
  config = await startAccountConfig()
  account = await config.newAccount('account')
  const write = (name: string, ...args: unknown[]) =>
    config.write(config.payer, name, account, ...args)
  await write('registerWalletDerivation', pkpIdOf('wallet'), pkpIdOf('path'), 'named', '')
  for (const text of ['first', 'second', 'removed']) await write('addGroup', text, '', [], [])
  await write('removeGroup', REMOVED)
  await write('addAction', cidOf('recorded'), 'recorded', 'by the master')
  await write('setUsageApiKey', hashOf('victim'), usageKey())
})
afterAll(() => config.close())

let keys = 0
/** Creates a usage key with these permissions. @returns its hash */
async function keyWith(granted: Record<string, unknown>): Promise<bigint> {
  const hash = hashOf(`usage key ${keys++}`)
  await config.write(config.payer, 'setUsageApiKey', account, hash, usageKey(granted))
  return hash
}
const refusal = (usage: bigint, name: string, ...args: unknown[]) =>
  config.refusal(config.payer, name, usage, ...args)

const ALL_BOOLEANS = { canCreateGroups: true, canDeleteGroups: true, canCreatePkps: true }
const ALL_ARRAYS = {
  manageIpfsIdsInGroups: [0n],
  addPkpToGroups: [0n],
  removePkpFromGroups: [0n],
  executeInGroups: [0n],
}
const EVERYTHING: Record<string, unknown> = { ...ALL_BOOLEANS, ...ALL_ARRAYS }
const allBut = (permission: string, value: unknown) => ({ ...EVERYTHING, [permission]: value })

const BY_BOOLEAN: [string, string, string, unknown[]][] = [
  [
    'registerWalletDerivation',
    'canCreatePkps',
    'NotAllowedToCreatePkps',
    [pkpIdOf('new'), pkpIdOf('its path'), '', ''],
  ],
  ['addGroup', 'canCreateGroups', 'NotAllowedToCreateGroups', ['', '', [], []]],
  ['removeGroup', 'canDeleteGroups', 'NotAllowedToDeleteGroups', [FIRST]],
]

describe.each(BY_BOOLEAN)('%s', (name, permission, error, args) => {
  test(`needs ${permission}, and no other permission replaces it`, async () => {
    expect(await refusal(await keyWith({ [permission]: true }), name, ...args)).toBeUndefined()
    const without = await keyWith(allBut(permission, false))
    expect(await refusal(without, name, ...args)).toEqual([error, without])
  })
})

const BY_GROUP: [string, string, string, unknown[]][] = [
  ['addPkpToGroup', 'addPkpToGroups', 'NotAllowedToAddPkps', [pkpIdOf('wallet')]],
  ['removePkpFromGroup', 'removePkpFromGroups', 'NotAllowedToRemovePkps', [pkpIdOf('wallet')]],
  ['addActionToGroup', 'manageIpfsIdsInGroups', 'NotAllowedToManageIpfsIds', [cidOf('a'), '', '']],
  ['removeActionFromGroup', 'manageIpfsIdsInGroups', 'NotAllowedToManageIpfsIds', [cidHashOf('a')]],
]

describe.each(BY_GROUP)('%s', (name, permission, error, args) => {
  test.each([
    ['by the group itself', [FIRST]],
    ['by the group among others', [SECOND, FIRST]],
    ['by 0, that stands for every group', [0n]],
    ['by 0 among others', [SECOND, 0n]],
  ])('is permitted %s', async (_name, groups) => {
    expect(await refusal(await keyWith({ [permission]: groups }), name, FIRST, ...args)).toBe(
      undefined,
    )
  })

  test.each([
    ['by no group', []],
    ['by another group', [SECOND]],
    ['by a removed group', [REMOVED]],
  ])('is not permitted %s, even with every other permission', async (_name, groups) => {
    const usage = await keyWith(allBut(permission, groups))
    expect(await refusal(usage, name, FIRST, ...args)).toEqual([error, usage, FIRST])
  })

  test('reverts for a removed group, and for an ID that was never issued', async () => {
    const removed = await keyWith({ [permission]: [REMOVED] })
    expect(await refusal(removed, name, REMOVED, ...args)).toEqual([
      'GroupDoesNotExist',
      account,
      REMOVED,
    ])
    const everywhere = await keyWith({ [permission]: [0n] })
    for (const none of [ABSENT, 0n]) {
      expect(await refusal(everywhere, name, none, ...args)).toEqual([
        'GroupDoesNotExist',
        account,
        none,
      ])
    }
  })
})

describe('a usage key with every permission', () => {
  const MASTER_ONLY: [string, () => unknown[]][] = [
    ['setUsageApiKey', () => [hashOf('new usage key'), usageKey()]],
    ['updateUsageApiKey', () => [hashOf('victim'), 511n, usageKey(EVERYTHING)]],
    ['removeUsageApiKey', () => [hashOf('victim')]],
    [
      'updateGroup',
      () => [FIRST, 15n, { name: '', description: '', pkpIds: [EVERY_WALLET], cidHashes: [0n] }],
    ],
    ['addAction', () => [cidOf('new'), '', '']],
    ['updateActionMetadata', () => [cidHashOf(cidOf('recorded')), 3n, 'x', 'y']],
    ['deleteAction', () => [cidHashOf(cidOf('recorded'))]],
    ['rotateAccountApiKey', () => [hashOf('new account key')]],
  ]

  test.each(MASTER_ONLY)('cannot call %s', async (name, args) => {
    const usage = await keyWith(EVERYTHING)
    expect(await refusal(usage, name, ...args())).toEqual(['NotMasterAccount', usage])
  })

  test('privilege escalation: cannot grant itself permissions, with any mask of fields', async () => {
    const usage = await keyWith(EVERYTHING)
    for (const fields of [0n, 1n, 256n, 511n, 2n ** 256n - 1n]) {
      expect(
        await refusal(usage, 'updateUsageApiKey', usage, fields, usageKey(EVERYTHING)),
      ).toEqual(['NotMasterAccount', usage])
    }
    expect(await refusal(usage, 'setUsageApiKey', usage, usageKey(EVERYTHING))).toEqual([
      'NotMasterAccount',
      usage,
    ])
  })

  test('lockout: cannot change the path of a wallet, which would make its funds unreachable', async () => {
    const usage = await keyWith(EVERYTHING)
    const args = [pkpIdOf('wallet'), pkpIdOf('wrong path'), '', '']
    expect(await refusal(usage, 'registerWalletDerivation', ...args)).toEqual([
      'NotAllowedToCreatePkps',
      usage,
    ])
  })

  test("cannot write to another account, by IDs or by that account's group numbers", async () => {
    const other = await config.newAccount('other')
    for (const name of ['first', 'second'])
      await config.write(config.payer, 'addGroup', other, name, '', [], [])
    const usage = await keyWith(EVERYTHING)
    await config.write(config.payer, 'removeGroup', usage, SECOND)
    expect((await config.read('accountOf', other)).groups).toHaveLength(2)
  })
})

describe('privilege escalation: a usage key cannot gain permissions through a new group', () => {
  const inGroup = (pkpIds: string[], cidHashes: bigint[]) => ['', '', pkpIds, cidHashes]

  test.each([
    ['no list', []],
    ['a list that names a group', [FIRST]],
  ])('with wallets, with %s in addPkpToGroups', async (_name, groups) => {
    const usage = await keyWith(allBut('addPkpToGroups', groups))
    for (const pkpId of [pkpIdOf('wallet'), EVERY_WALLET]) {
      expect(await refusal(usage, 'addGroup', ...inGroup([pkpId], []))).toEqual([
        'NotAllowedToAddPkps',
        usage,
        0n,
      ])
    }
  })

  test.each([
    ['no list', []],
    ['a list that names a group', [FIRST]],
  ])('with actions, with %s in manageIpfsIdsInGroups', async (_name, groups) => {
    const usage = await keyWith(allBut('manageIpfsIdsInGroups', groups))
    for (const cidHash of [cidHashOf('a'), 0n]) {
      expect(await refusal(usage, 'addGroup', ...inGroup([], [cidHash]))).toEqual([
        'NotAllowedToManageIpfsIds',
        usage,
        0n,
      ])
    }
  })

  test('with an ID that the key names in advance: such IDs are rejected', async () => {
    const { nextGroupId } = await config.read('accountOf', account)
    const granted = { canCreateGroups: true, addPkpToGroups: [nextGroupId] }
    const set = [account, hashOf('patient'), usageKey(granted)]
    expect(await config.refusal(config.payer, 'setUsageApiKey', ...set)).toEqual([
      'GroupDoesNotExist',
      account,
      nextGroupId,
    ])
  })

  test('but can create one with permissions that it has for every group', async () => {
    const usage = await keyWith({
      canCreateGroups: true,
      addPkpToGroups: [0n],
      manageIpfsIdsInGroups: [0n],
    })
    expect(await refusal(usage, 'addGroup', ...inGroup([EVERY_WALLET], [0n]))).toBeUndefined()
  })
})

describe('privilege escalation: a usage key cannot gain permissions through a wildcard ID', () => {
  test('for every wallet in the only groups that it can fill', async () => {
    const usage = await keyWith(allBut('addPkpToGroups', [FIRST, SECOND]))
    expect(await refusal(usage, 'addPkpToGroup', FIRST, EVERY_WALLET)).toEqual([
      'NotAllowedToAddPkps',
      usage,
      FIRST,
    ])
    expect(await refusal(await keyWith(EVERYTHING), 'addPkpToGroup', FIRST, EVERY_WALLET)).toBe(
      undefined,
    )
  })

  test('for every action: actions are added by CID, and no CID hashes to 0', async () => {
    const usage = await keyWith(EVERYTHING)
    expect(await refusal(usage, 'addActionToGroup', FIRST, '', '', '')).toEqual([
      'InvalidRequest',
      'cid is empty',
    ])
  })

  test('or by adding a wallet that the account does not have yet', async () => {
    const usage = await keyWith(EVERYTHING)
    expect(await refusal(usage, 'addPkpToGroup', FIRST, pkpIdOf('of nobody'))).toEqual([
      'WalletDoesNotExist',
      account,
      pkpIdOf('of nobody'),
    ])
  })
})

test("a usage key of an unmanaged account gives the service's payers no access", async () => {
  const hash = await config.newAccount('unmanaged')
  const usage = hashOf('usage of unmanaged')
  await config.write(config.payer, 'setUsageApiKey', hash, usage, usageKey(EVERYTHING))
  const admin = await config.freshWallet()
  await config.convert(hash, admin.address)
  expect(await refusal(usage, 'addGroup', '', '', [], [])).toEqual([
    'NoAccountAccess',
    hash,
    config.payer.address,
  ])
})
