import { ZeroAddress } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressOf, hashOf, startAccountConfig, usageKey } from './account-config.ts'
import type { AccountConfig } from './account-config.ts'
import { base, slotOf } from './slots.ts'

let config: AccountConfig
beforeAll(async () => {
  config = await startAccountConfig()
})
afterAll(() => config.close())

test('a new account is managed, empty, and found by its hash', async () => {
  const hash = hashOf('first')
  const args = [hash, addressOf('first'), 'Ada', 'of the analytical engine']
  const receipt = await config.write(config.payer, 'newAccount', ...args)
  const block = await config.provider.getBlock(receipt.blockNumber)
  const account = await config.read('accountOf', hash)
  expect(account.toObject()).toMatchObject({
    accountHash: hash,
    managed: true,
    name: 'Ada',
    description: 'of the analytical engine',
    createdAt: BigInt(block?.timestamp ?? 0),
    nextGroupId: 1n,
    wallets: [],
    groups: [],
    usageApiKeys: [],
    actions: [],
  })
  expect(account.adminWallet.toLowerCase()).toBe(addressOf('first'))
  expect(account.apiKeyHashes.toArray()).toEqual([[hash, false]])
  expect(await config.read('masterOf', hash)).toBe(hash)
})

test('a hash that is no account resolves to 0, and reading it says so', async () => {
  expect(await config.read('masterOf', hashOf('nobody'))).toBe(0n)
  expect(await config.refusal(config.stranger, 'accountOf', hashOf('nobody'))).toEqual([
    'AccountDoesNotExist',
    hashOf('nobody'),
  ])
})

test('a second account under a hash, or under an alias of one, is refused', async () => {
  const hash = await config.newAccount('taken')
  await config.setStorage(slotOf(hashOf('taken alias'), base + 1n), hash)
  for (const taken of [hash, hashOf('taken alias')]) {
    const refusal = await config.refusal(config.payer, 'newAccount', taken, addressOf('x'), '', '')
    expect(refusal).toEqual(['AccountAlreadyExists', hash])
  }
})

test('a wallet that was ever an admin cannot be that of another account', async () => {
  const hash = await config.newAccount('owner of a wallet')
  const wallet = addressOf('owner of a wallet')
  expect(await config.refusal(config.payer, 'newAccount', hashOf('y'), wallet, '', '')).toEqual([
    'AccountAlreadyExists',
    hash,
  ])
})

test.each([
  ['hash', 0n, addressOf('z'), 'apiKeyHash is zero'],
  ['wallet', hashOf('z'), ZeroAddress, 'accountWallet is the zero address'],
])('a zero %s is refused', async (_name, hash, wallet, reason) => {
  expect(await config.refusal(config.payer, 'newAccount', hash, wallet, '', '')).toEqual([
    'InvalidRequest',
    reason,
  ])
})

test("the hash of somebody's usage key cannot become an account", async () => {
  const hash = await config.newAccount('has a usage key')
  await config.write(config.payer, 'setUsageApiKey', hash, hashOf('usage'), usageKey())
  expect(
    await config.refusal(config.payer, 'newAccount', hashOf('usage'), addressOf('u'), '', ''),
  ).toEqual(['UsageApiKeyAlreadyExists', hashOf('usage'), hash])
})

test('a revoked hash cannot become an account', async () => {
  await config.setStorage(slotOf(hashOf('revoked'), base + 2n), 1n)
  expect(
    await config.refusal(config.payer, 'newAccount', hashOf('revoked'), addressOf('r'), '', ''),
  ).toEqual(['ApiKeyHashRevoked', hashOf('revoked')])
})

test('an alias reads and writes the account that it stands for, and events carry the master hash', async () => {
  const hash = await config.newAccount('aliased')
  await config.setStorage(slotOf(hashOf('alias'), base + 1n), hash)
  const receipt = await config.write(config.payer, 'addGroup', hashOf('alias'), 'g', '', [], [])
  expect(BigInt(receipt.logs[0]?.topics[1] ?? 0)).toBe(hash)
  const account = await config.read('accountOf', hashOf('alias'))
  expect(account.accountHash).toBe(hash)
  expect(account.groups).toHaveLength(1)
  expect(await config.read('masterOf', hashOf('alias'))).toBe(hash)
})

test('a revoked master hash is shown as revoked and still names its account', async () => {
  const hash = await config.newAccount('rotated')
  await config.setStorage(slotOf(hash, base + 2n), 1n)
  const account = await config.read('accountOf', hash)
  expect(account.apiKeyHashes.toArray()).toEqual([[hash, true]])
})
