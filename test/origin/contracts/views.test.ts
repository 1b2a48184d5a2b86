import { id, ZeroAddress, ZeroHash } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addressOf,
  cidHashOf,
  EVERY_WALLET,
  hashOf,
  hashOfWallet,
  pkpIdOf,
  startAccountConfig,
  usageKey,
} from './account-config.ts'
import type { AccountConfig } from './account-config.ts'

let config: AccountConfig
beforeAll(async () => {
  config = await startAccountConfig()
})
afterAll(() => config.close())

const write = (name: string, ...args: unknown[]) => config.write(config.payer, name, ...args)
const may = (key: bigint, action: string, wallet?: string): Promise<boolean> =>
  config.read('mayExecute', key, cidHashOf(action), wallet ? pkpIdOf(wallet) : ZeroHash)

describe('mayExecute', () => {
  const usage = (text: string) => hashOf(`usage ${text}`)
  let account: bigint

  beforeAll(async () => {
    account = await config.newAccount('account')
    for (const text of ['w1', 'w2'])
      await write('registerWalletDerivation', account, pkpIdOf(text), pkpIdOf('p'), '', '')
    const groups: [string[], bigint[]][] = [
      [[pkpIdOf('w1')], [cidHashOf('a1')]],
      [[pkpIdOf('w2')], [cidHashOf('a2')]],
      [[EVERY_WALLET], [cidHashOf('a3')]],
      [[pkpIdOf('w1')], [0n]],
    ]
    for (const [pkpIds, cidHashes] of groups)
      await write('addGroup', account, '', '', pkpIds, cidHashes)
    const keys: [string, bigint[]][] = [
      ['of none', []],
      ['of 1', [1n]],
      ['of 1 and 2', [1n, 2n]],
      ['of 3', [3n]],
      ['of 4', [4n]],
      ['of all', [0n]],
      ['of 1 and all', [1n, 0n]],
    ]
    for (const [text, executeInGroups] of keys)
      await write('setUsageApiKey', account, usage(text), usageKey({ executeInGroups }))
  })

  test.each([
    ['of none', 'a1', undefined, false],
    ['of 1', 'a1', undefined, true],
    ['of 1', 'a1', 'w1', true],
    ['of 1', 'a1', 'w2', false],
    ['of 1', 'a2', undefined, false],
    ['of 1', 'a2', 'w2', false],
    ['of 1 and 2', 'a2', 'w2', true],
    ['of 1 and 2', 'a1', 'w2', false],
    ['of 3', 'a3', 'w1', true],
    ['of 3', 'a3', 'w2', true],
    ['of 3', 'a3', 'never registered', false],
    ['of 4', 'any', 'w1', true],
    ['of 4', 'any', 'w2', false],
    ['of all', 'a2', 'w2', true],
    ['of all', 'any', 'w1', true],
    ['of all', 'any', 'w2', false],
    ['of 1 and all', 'a3', 'w2', true],
  ])('key %s, action %s, wallet %s: %s', async (key, action, wallet, answer) => {
    expect(await may(usage(key), action, wallet)).toBe(answer)
  })

  test("allows an account's own key to run any action, but wallets only as groups permit", async () => {
    expect(await may(account, 'any')).toBe(true)
    expect(await may(account, 'a3', 'w2')).toBe(true)
    expect(await may(account, 'any', 'w2')).toBe(false)
  })

  test('denies everything to an unknown or removed key', async () => {
    await write('setUsageApiKey', account, usage('gone'), usageKey({ executeInGroups: [0n] }))
    expect(await may(usage('gone'), 'a1')).toBe(true)
    await write('removeUsageApiKey', account, usage('gone'))
    expect([await may(usage('gone'), 'a1'), await may(hashOf('unknown'), 'a1')]).toEqual([
      false,
      false,
    ])
  })

  test('denies at once what a group of the key has lost', async () => {
    const groupId: bigint = (await config.read('accountOf', account)).nextGroupId
    await write('addGroup', account, '', '', [pkpIdOf('w1')], [cidHashOf('lost')])
    const key = usage('that loses')
    await write('setUsageApiKey', account, key, usageKey({ executeInGroups: [groupId] }))
    expect(await may(key, 'lost', 'w1')).toBe(true)
    await write('removePkpFromGroup', account, groupId, pkpIdOf('w1'))
    expect([await may(key, 'lost'), await may(key, 'lost', 'w1')]).toEqual([true, false])
    await write('removeActionFromGroup', account, groupId, cidHashOf('lost'))
    expect(await may(key, 'lost')).toBe(false)
  })

  test("after conversion, denies the account's old key and its wallets' hashes, but not its usage keys", async () => {
    const hash = await config.newAccount('converted')
    await write('addGroup', hash, '', '', [], [0n])
    const key = usage('of converted')
    await write('setUsageApiKey', hash, key, usageKey({ executeInGroups: [1n] }))
    const admin = await config.freshWallet()
    await config.convert(hash, admin.address)
    const [, alias] = (await config.read('accountOf', hash)).apiKeyHashes[1]
    expect(alias).toBe(false)
    const walletHash = (await config.read('accountOf', hash)).apiKeyHashes[1].apiKeyHash
    expect([await may(hash, 'a'), await may(walletHash, 'a'), await may(key, 'a')]).toEqual([
      false,
      false,
      true,
    ])
  })
})

describe('reads at a past block', () => {
  test('return an account, a group and a permission as of that block', async () => {
    const hash = await config.newAccount('with a past')
    await write('addGroup', hash, 'before', '', [], [cidHashOf('a')])
    const usage = hashOf('usage with a past')
    const key = usageKey({ executeInGroups: [1n] })
    const { blockNumber } = await write('setUsageApiKey', hash, usage, key)
    const change = { name: 'after', description: '', pkpIds: [], cidHashes: [] }
    await write('updateGroup', hash, 1n, 9n, change)
    await write('rotateAccountApiKey', hash, hashOf('its next key'))

    const readAll = async (block: number | 'latest') => ({
      group: (await config.readAt(block, 'groupOf', hash, 1n)).name,
      may: await config.readAt(block, 'mayExecute', usage, cidHashOf('a'), ZeroHash),
      hashes: (await config.readAt(block, 'accountOf', hash)).apiKeyHashes.toArray(true),
    })
    expect(await readAll(blockNumber)).toEqual({
      group: 'before',
      may: true,
      hashes: [[hash, false]],
    })
    expect(await readAll('latest')).toEqual({
      group: 'after',
      may: false,
      hashes: [
        [hash, true],
        [hashOf('its next key'), false],
      ],
    })
  })

  test('do not find an account that was created later', async () => {
    const before = await config.provider.getBlockNumber()
    const hash = await config.newAccount('not there yet')
    expect(await config.readAt(before, 'masterOf', hash)).toBe(0n)
    await expect(config.readAt(before, 'accountOf', hash)).rejects.toMatchObject({
      revert: { name: 'AccountDoesNotExist' },
    })
  })
})

describe('the specified views', () => {
  test('return the same for every hash of an account, and zero for an unknown hash', async () => {
    const hash = await config.newAccount('of the views')
    const next = hashOf('alias of the views')
    await write('rotateAccountApiKey', hash, next)
    const { adminWallet } = await config.read('accountOf', hash)
    for (const name of [hash, next]) {
      expect(await config.read('allApiKeyHashesToMaster', name)).toBe(hash)
      expect(await config.read('adminWalletAddress', name)).toBe(adminWallet)
    }
    for (const name of [hashOf('of nobody'), 0n]) {
      expect(await config.read('allApiKeyHashesToMaster', name)).toBe(0n)
      expect(await config.read('adminWalletAddress', name)).toBe(ZeroAddress)
    }
  })

  test('return zero for a usage key, and the account for an admin wallet', async () => {
    const hash = await config.newAccount('to be converted')
    await write('setUsageApiKey', hash, hashOf('a usage key'), usageKey())
    const admin = addressOf('the admin to come')
    await write('convertToChainSecuredAccount', hash, admin, id('a proof'))
    expect(await config.read('adminWalletAddress', hash)).toBe(admin)
    expect(await config.read('allApiKeyHashesToMaster', hashOfWallet(admin))).toBe(hash)
    expect(await config.read('allApiKeyHashesToMaster', hashOf('a usage key'))).toBe(0n)
  })
})

describe('groupOf', () => {
  test('returns a group for any hash of its account, and none of another account', async () => {
    const hash = await config.newAccount('of one group')
    const other = await config.newAccount('of no group')
    await write('rotateAccountApiKey', hash, hashOf('alias of one group'))
    await write('addGroup', hashOf('alias of one group'), 'g', 'd', [EVERY_WALLET], [0n, 7n])
    for (const name of [hash, hashOf('alias of one group')]) {
      const group = await config.read('groupOf', name, 1n)
      expect(group.toArray(true)).toEqual([1n, 'g', 'd', [EVERY_WALLET], [0n, 7n]])
    }
    expect(await config.refusal(config.stranger, 'groupOf', other, 1n)).toEqual([
      'GroupDoesNotExist',
      other,
      1n,
    ])
    expect(await config.refusal(config.stranger, 'groupOf', hashOf('nobody'), 1n)).toEqual([
      'AccountDoesNotExist',
      hashOf('nobody'),
    ])
  })
})
