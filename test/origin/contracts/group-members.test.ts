import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  cidHashOf,
  cidOf,
  eventsOf,
  EVERY_WALLET,
  hashOf,
  pkpIdOf,
  startAccountConfig,
  usageKey,
} from './account-config.ts'
import type { AccountConfig } from './account-config.ts'

/** Maximum number of wallets, and of actions, in a group: `GROUP_IDS_MAX` in InputLimits.sol. */
const MOST = 500

let config: AccountConfig
let account: bigint

beforeAll(async () => {
  config = await startAccountConfig()
  account = await config.newAccount('account')
  await write('registerWalletDerivation', account, pkpIdOf('w'), pkpIdOf('p'), '', '')
})
afterAll(() => config.close())

const write = (name: string, ...args: unknown[]) => config.write(config.payer, name, ...args)
const refusal = (name: string, ...args: unknown[]) => config.refusal(config.payer, name, ...args)
const newGroup = async (pkpIds: string[] = [], cidHashes: bigint[] = []) => {
  const groupId: bigint = (await config.read('accountOf', account)).nextGroupId
  await write('addGroup', account, 'group', '', pkpIds, cidHashes)
  return groupId
}
const membersOf = async (groupId: bigint) => {
  const { pkpIds, cidHashes } = await config.read('groupOf', account, groupId)
  return [pkpIds.toArray(), cidHashes.toArray()]
}

describe('a wallet', () => {
  test('can be added to a group and removed again, idempotently', async () => {
    const group = await newGroup()
    for (const [name, permitted, members] of [
      ['addPkpToGroup', true, [pkpIdOf('w')]],
      ['removePkpFromGroup', false, []],
    ] as const) {
      for (let times = 0; times < 2; times++) {
        expect(eventsOf(await write(name, account, group, pkpIdOf('w')))).toEqual([
          ['PkpInGroupSet', account, group, pkpIdOf('w'), permitted],
        ])
        expect(await membersOf(group)).toEqual([members, []])
      }
    }
  })

  test('can be the wildcard, which is removed like any other', async () => {
    const group = await newGroup()
    await write('addPkpToGroup', account, group, EVERY_WALLET)
    expect(await membersOf(group)).toEqual([[EVERY_WALLET], []])
    await write('removePkpFromGroup', account, group, EVERY_WALLET)
    expect(await membersOf(group)).toEqual([[], []])
  })

  test('is rejected if the account did not register it, even if another account did', async () => {
    const other = await config.newAccount('other')
    await write('registerWalletDerivation', other, pkpIdOf('theirs'), pkpIdOf('p'), '', '')
    const group = await newGroup()
    for (const text of ['nobody', 'theirs']) {
      expect(await refusal('addPkpToGroup', account, group, pkpIdOf(text))).toEqual([
        'WalletDoesNotExist',
        account,
        pkpIdOf(text),
      ])
    }
  })
})

describe('a removed group', () => {
  test('no longer exists for any call that names it', async () => {
    const group = await newGroup([pkpIdOf('w')], [0n])
    expect(eventsOf(await write('removeGroup', account, group))).toEqual([
      ['GroupRemoved', account, group],
    ])
    const missing = ['GroupDoesNotExist', account, group]
    const change = { name: '', description: '', pkpIds: [], cidHashes: [] }
    expect(await refusal('groupOf', account, group)).toEqual(missing)
    for (const [name, ...args] of [
      ['removeGroup'],
      ['updateGroup', 1n, change],
      ['addPkpToGroup', pkpIdOf('w')],
      ['removePkpFromGroup', pkpIdOf('w')],
      ['addActionToGroup', cidOf('a'), '', ''],
      ['removeActionFromGroup', 5n],
    ] as [string, ...unknown[]][]) {
      expect(await refusal(name, account, group, ...args)).toEqual(missing)
    }
  })

  test('does not pass its ID or its members on to a later group', async () => {
    const group = await newGroup([pkpIdOf('w')], [0n])
    await write('removeGroup', account, group)
    const next = await newGroup()
    expect(next).toBe(group + 1n)
    expect(await membersOf(next)).toEqual([[], []])
  })

  test('revokes what keys could do in it', async () => {
    const group = await newGroup([pkpIdOf('w')], [cidHashOf('a')])
    const usage = hashOf('runs in the group')
    await write('setUsageApiKey', account, usage, usageKey({ executeInGroups: [group] }))
    const may = () => config.read('mayExecute', usage, cidHashOf('a'), pkpIdOf('w'))
    expect(await may()).toBe(true)
    await write('removeGroup', account, group)
    expect(await may()).toBe(false)
  })
})

describe(`a group of ${MOST}`, () => {
  test('rejects further actions, accepts one that it has, and can be replaced as a whole', async () => {
    const group = await newGroup([], [])
    await fillWithActions(group)
    const extra = () => refusal('addActionToGroup', account, group, cidOf('extra'), '', '')
    expect(await extra()).toEqual(['TooManyIds', 'cidHashes', BigInt(MOST) + 1n, BigInt(MOST)])
    expect(await refusal('addActionToGroup', account, group, cidOf('0'), '', '')).toBeUndefined()
    await write('removeActionFromGroup', account, group, cidHashOf(cidOf('1')))
    expect(await extra()).toBeUndefined()
    const change = { name: '', description: '', pkpIds: [], cidHashes: [7n] }
    await write('updateGroup', account, group, 8n, change)
    expect(await membersOf(group)).toEqual([[], [7n]])
  })

  test('rejects further wallets', async () => {
    const group = await newGroup([], [])
    const ids = Array.from({ length: MOST }, (_, index) => pkpIdOf(`wallet ${index}`))
    await config.sendAll(
      ids.flatMap((pkpId) => [
        ['registerWalletDerivation', account, pkpId, pkpIdOf('p'), '', ''],
        ['addPkpToGroup', account, group, pkpId],
      ]),
    )
    expect((await membersOf(group))[0]).toHaveLength(MOST)
    expect(await refusal('addPkpToGroup', account, group, pkpIdOf('w'))).toEqual([
      'TooManyIds',
      'pkpIds',
      BigInt(MOST) + 1n,
      BigInt(MOST),
    ])
    expect(await refusal('addPkpToGroup', account, group, pkpIdOf('wallet 7'))).toBeUndefined()
  })
})

async function fillWithActions(group: bigint) {
  const names = Array.from({ length: MOST }, (_, index) => cidOf(String(index)))
  await config.sendAll(names.map((cid) => ['addActionToGroup', account, group, cid, '', '']))
  expect((await membersOf(group))[1]).toHaveLength(MOST)
}
