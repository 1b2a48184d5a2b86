import { ZeroHash } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PERMISSION_IDS_MAX } from '../../../shared/limits.ts'
import { EVERY_WALLET, pkpIdOf, startAccountConfig } from './account-config.ts'
import type { AccountConfig } from './account-config.ts'

let config: AccountConfig
let account: bigint
let other: bigint

beforeAll(async () => {
  config = await startAccountConfig()
  account = await config.newAccount('account')
  other = await config.newAccount('other')
})
afterAll(() => config.close())

const path = (text: string) => pkpIdOf(`path of ${text}`)
const register = (hash: bigint, text: string) =>
  config.write(
    config.payer,
    'registerWalletDerivation',
    hash,
    pkpIdOf(text),
    path(text),
    text,
    'a wallet',
  )
const addGroup = (hash: bigint, pkpIds: string[], cidHashes: bigint[]) =>
  config.write(config.payer, 'addGroup', hash, 'group', 'a group', pkpIds, cidHashes)
const lastGroup = async (hash: bigint) =>
  (await config.read('accountOf', hash)).groups.toArray().at(-1)
const many = (count: number) => Array.from({ length: count }, (_, index) => BigInt(index + 1))

describe('a wallet', () => {
  test('is stored with its path, name and description', async () => {
    await register(account, 'kept')
    const { wallets } = await config.read('accountOf', account)
    expect(wallets.toArray()).toContainEqual([pkpIdOf('kept'), path('kept'), 'kept', 'a wallet'])
  })

  test('that was registered with a wrong path can be registered again', async () => {
    const write = (derivationPath: string) =>
      config.write(
        config.payer,
        'registerWalletDerivation',
        account,
        pkpIdOf('w'),
        derivationPath,
        'w',
        '',
      )
    await write(path('wrong'))
    await write(path('right'))
    const { wallets } = await config.read('accountOf', account)
    expect(wallets.toArray().filter(([pkpId]: [string]) => pkpId === pkpIdOf('w'))).toEqual([
      [pkpIdOf('w'), path('right'), 'w', ''],
    ])
  })

  test.each([
    ['the wildcard', EVERY_WALLET, 'pkpId is not a padded address'],
    [
      'an id that is no padded address',
      path('x').replace('0x00', '0x01'),
      'pkpId is not a padded address',
    ],
  ])('cannot be %s', async (_name, pkpId, reason) => {
    const refusal = await config.refusal(
      config.payer,
      'registerWalletDerivation',
      account,
      pkpId,
      path('x'),
      '',
      '',
    )
    expect(refusal).toEqual(['InvalidRequest', reason])
  })

  test('needs a derivation path', async () => {
    const args = [account, pkpIdOf('x'), ZeroHash, '', '']
    expect(await config.refusal(config.payer, 'registerWalletDerivation', ...args)).toEqual([
      'InvalidRequest',
      'derivationPath is zero',
    ])
  })
})

describe('a group', () => {
  test('is numbered from 1 in each account', async () => {
    const first = await config.newAccount('numbered')
    const second = await config.newAccount('numbered too')
    for (const hash of [first, first, second]) await addGroup(hash, [], [])
    const ids = async (hash: bigint) =>
      (await config.read('accountOf', hash)).groups.map(
        ({ groupId }: { groupId: bigint }) => groupId,
      )
    expect([await ids(first), await ids(second)]).toEqual([[1n, 2n], [1n]])
  })

  test('has the id that addGroup returns', async () => {
    const groupId = await config.ask(config.payer, 'addGroup', account, '', '', [], [])
    const receipt = await addGroup(account, [], [])
    expect(BigInt(receipt.logs[0]?.topics[2] ?? 0)).toBe(groupId)
  })

  test('stores wallets of its account and hashes of actions, without duplicates', async () => {
    await register(account, 'member')
    await addGroup(account, [pkpIdOf('member'), pkpIdOf('member')], [7n, 8n, 7n])
    expect((await lastGroup(account)).toArray().slice(1)).toEqual([
      'group',
      'a group',
      [pkpIdOf('member')],
      [7n, 8n],
    ])
  })

  test('can contain the wildcards for wallets and actions', async () => {
    await addGroup(account, [EVERY_WALLET], [0n])
    const { pkpIds, cidHashes } = await lastGroup(account)
    expect([[...pkpIds], [...cidHashes]]).toEqual([[EVERY_WALLET], [0n]])
  })

  test(`accepts at most ${PERMISSION_IDS_MAX} IDs per array`, async () => {
    await addGroup(account, [], many(PERMISSION_IDS_MAX))
    expect((await lastGroup(account)).cidHashes).toHaveLength(PERMISSION_IDS_MAX)
    const tooMany = many(PERMISSION_IDS_MAX + 1)
    const most = BigInt(PERMISSION_IDS_MAX)
    const wallets = tooMany.map(() => EVERY_WALLET)
    expect(await config.refusal(config.payer, 'addGroup', account, '', '', [], tooMany)).toEqual([
      'TooManyIds',
      'cidHashes',
      most + 1n,
      most,
    ])
    expect(await config.refusal(config.payer, 'addGroup', account, '', '', wallets, [])).toEqual([
      'TooManyIds',
      'pkpIds',
      most + 1n,
      most,
    ])
  })

  test('is rejected if it contains an unregistered wallet', async () => {
    const args = [account, '', '', [pkpIdOf('nobody')], []]
    expect(await config.refusal(config.payer, 'addGroup', ...args)).toEqual([
      'WalletDoesNotExist',
      account,
      pkpIdOf('nobody'),
    ])
  })
})

/** Returns in how many wallets and in how many groups of the account the coveted wallet occurs. */
const mentions = async (hash: bigint) => {
  const { wallets, groups } = await config.read('accountOf', hash)
  const grants = groups.filter(({ pkpIds }: { pkpIds: string[] }) =>
    pkpIds.includes(pkpIdOf('coveted')),
  )
  return [wallets.filter(([pkpId]: [string]) => pkpId === pkpIdOf('coveted')).length, grants.length]
}

describe('attacks', () => {
  test("registering another account's wallet address gains and blocks nothing", async () => {
    await register(other, 'coveted')
    await register(account, 'coveted')
    await register(other, 'coveted')
    await addGroup(other, [pkpIdOf('coveted')], [1n])
    expect(await mentions(other)).toEqual([1, 1])
    expect(await mentions(account)).toEqual([1, 0])
  })

  test("registering another account's derivation path blocks nothing", async () => {
    const taken = [account, pkpIdOf('thief'), path('victim'), '', '']
    await config.write(config.payer, 'registerWalletDerivation', ...taken)
    await register(other, 'victim')
    const { wallets } = await config.read('accountOf', other)
    expect(wallets.toArray()).toContainEqual([
      pkpIdOf('victim'),
      path('victim'),
      'victim',
      'a wallet',
    ])
  })

  test("adding another account's wallet to a group is rejected", async () => {
    await register(other, 'not yours')
    const args = [account, '', '', [pkpIdOf('not yours')], [0n]]
    expect(await config.refusal(config.payer, 'addGroup', ...args)).toEqual([
      'WalletDoesNotExist',
      account,
      pkpIdOf('not yours'),
    ])
  })
})
