import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  cidHashOf,
  cidOf,
  eventsOf,
  hashOf,
  pkpIdOf,
  startAccountConfig,
  usageKey,
} from './account-config.ts'
import type { AccountConfig } from './account-config.ts'

let config: AccountConfig
let account: bigint
beforeAll(async () => {
  config = await startAccountConfig()
  account = await config.newAccount('account')
  for (const text of ['w1', 'w2'])
    await write('registerWalletDerivation', account, pkpIdOf(text), pkpIdOf('p'), '', '')
  for (const text of ['one', 'two']) await write('addGroup', account, text, '', [], [])
})
afterAll(() => config.close())

const write = (name: string, ...args: unknown[]) => config.write(config.payer, name, ...args)
const refusal = (name: string, ...args: unknown[]) => config.refusal(config.payer, name, ...args)

const BEFORE = { name: 'n', description: 'd', pkpIds: [pkpIdOf('w1')], cidHashes: [1n] }
const AFTER = { name: 'N', description: 'D', pkpIds: [pkpIdOf('w2')], cidHashes: [2n, 3n] }
const group = async () => {
  const groupId: bigint = (await config.read('accountOf', account)).nextGroupId
  await write('addGroup', account, ...Object.values(BEFORE))
  return groupId
}
const masks = (bits: number) => Array.from({ length: 2 ** bits }, (_, mask) => BigInt(mask))
/** Returns the values of `after` for each set bit, and of `before` for the others. */
const mixed = (fields: bigint, before: object, after: object) => {
  const values = Object.values(after)
  return Object.values(before).map((value, bit) =>
    (fields >> BigInt(bit)) & 1n ? values[bit] : value,
  )
}

describe('updateGroup', () => {
  test('replaces exactly the fields of the mask, for each of the sixteen masks', async () => {
    for (const fields of masks(4)) {
      const groupId = await group()
      const receipt = await write('updateGroup', account, groupId, fields, AFTER)
      const expected = mixed(fields, BEFORE, AFTER)
      expect(eventsOf(receipt)).toEqual([['GroupSet', account, groupId, ...expected]])
      const stored = (await config.read('groupOf', account, groupId)).toArray(true)
      expect(stored).toEqual([groupId, ...expected])
    }
  })

  test('clears an array that is given as empty, and stores duplicate IDs once', async () => {
    const groupId = await group()
    const change = { ...AFTER, pkpIds: [], cidHashes: [5n, 5n, 0n, 5n] }
    await write('updateGroup', account, groupId, 12n, change)
    const { pkpIds, cidHashes } = await config.read('groupOf', account, groupId)
    expect([pkpIds.toArray(), cidHashes.toArray()]).toEqual([[], [5n, 0n]])
  })

  test('of the name does not restore a member that was removed concurrently', async () => {
    const groupId = await group()
    await write('removePkpFromGroup', account, groupId, pkpIdOf('w1'))
    await write('removeActionFromGroup', account, groupId, 1n)
    await write('updateGroup', account, groupId, 1n, { ...BEFORE, name: 'N' })
    const { name, pkpIds, cidHashes } = await config.read('groupOf', account, groupId)
    expect([name, pkpIds.toArray(), cidHashes.toArray()]).toEqual(['N', [], []])
  })

  test('accepts at most 50 IDs per array, and no wallet of another account', async () => {
    const groupId = await group()
    const many = (count: number) => Array.from({ length: count }, (_, index) => BigInt(index))
    const update = (change: object) =>
      refusal('updateGroup', account, groupId, 15n, { ...AFTER, ...change })
    expect(await update({ cidHashes: many(50) })).toBeUndefined()
    expect(await update({ cidHashes: many(51) })).toEqual(['TooManyIds', 'cidHashes', 51n, 50n])
    const wallets = many(51).map(() => pkpIdOf('w1'))
    expect(await update({ pkpIds: wallets })).toEqual(['TooManyIds', 'pkpIds', 51n, 50n])
    expect(await update({ pkpIds: [pkpIdOf('theirs')] })).toEqual([
      'WalletDoesNotExist',
      account,
      pkpIdOf('theirs'),
    ])
  })
})

describe('updateUsageApiKey', () => {
  const before = usageKey({ name: 'n', description: 'd', executeInGroups: [1n] })
  const after = usageKey({
    name: 'N',
    description: 'D',
    canCreateGroups: true,
    canDeleteGroups: true,
    canCreatePkps: true,
    manageIpfsIdsInGroups: [1n],
    addPkpToGroups: [2n],
    removePkpFromGroups: [1n, 2n],
    executeInGroups: [0n],
  })
  const usage = hashOf('usage')
  const stored = async () => {
    const [key] = (await config.read('accountOf', account)).usageApiKeys
    return key.toArray(true)
  }

  test('replaces exactly the fields of the mask, and keeps the creation time', async () => {
    await write('setUsageApiKey', account, usage, before)
    const [, createdAt] = await stored()
    await config.provider.send('evm_increaseTime', [60])
    const single = Array.from({ length: 9 }, (_, bit) => 1n << BigInt(bit))
    for (const fields of [0n, ...single, 511n, 510n, 0b101010101n]) {
      await write('setUsageApiKey', account, usage, before)
      const receipt = await write('updateUsageApiKey', account, usage, fields, after)
      const expected = mixed(fields, before, after)
      expect(eventsOf(receipt)).toEqual([['UsageApiKeySet', account, usage, expected, createdAt]])
      expect(await stored()).toEqual([usage, createdAt, expected])
    }
  })

  test('of the name does not restore a permission that was revoked concurrently', async () => {
    await write('setUsageApiKey', account, usage, after)
    await write('updateUsageApiKey', account, usage, 256n, usageKey())
    await write('updateUsageApiKey', account, usage, 1n, { ...after, name: 'renamed' })
    const [, , key] = await stored()
    expect(key).toEqual(Object.values({ ...after, name: 'renamed', executeInGroups: [] }))
  })

  test('cannot name a group that was never created', async () => {
    const granted = usageKey({ executeInGroups: [99_999n] })
    await write('setUsageApiKey', account, usage, before)
    expect(await refusal('updateUsageApiKey', account, usage, 256n, granted)).toEqual([
      'GroupDoesNotExist',
      account,
      99_999n,
    ])
  })
})

test('updateActionMetadata replaces exactly the fields of the mask', async () => {
  const cidHash = cidHashOf(cidOf('action'))
  await write('addAction', account, cidOf('action'), 'n', 'd')
  for (const fields of masks(2)) {
    await write('updateActionMetadata', account, cidHash, 3n, 'n', 'd')
    const receipt = await write('updateActionMetadata', account, cidHash, fields, 'N', '')
    const texts = mixed(fields, { name: 'n', description: 'd' }, { name: 'N', description: '' })
    expect(eventsOf(receipt)).toEqual([['ActionSet', account, cidHash, cidOf('action'), ...texts]])
  }
})
