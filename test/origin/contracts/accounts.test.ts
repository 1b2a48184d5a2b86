import { ZeroAddress } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressOf, eventsOf, hashOf, startAccountConfig, usageKey } from './account-config.ts'
import type { AccountConfig } from './account-config.ts'

let config: AccountConfig
beforeAll(async () => {
  config = await startAccountConfig()
})
afterAll(() => config.close())

const refusal = (hash: bigint, wallet: string) =>
  config.refusal(config.payer, 'newAccount', hash, wallet, '', '')

test('a new account is managed, empty, and found by its hash', async () => {
  const hash = hashOf('first')
  const args = [hash, addressOf('first'), 'Ada', 'of the analytical engine']
  const receipt = await config.write(config.payer, 'newAccount', ...args)
  const block = await config.provider.getBlock(receipt.blockNumber)
  const account = await config.read('accountOf', hash)
  expect(account.toObject()).toMatchObject({
    accountHash: hash,
    managed: true,
    adminWallet: addressOf('first'),
    name: 'Ada',
    description: 'of the analytical engine',
    createdAt: BigInt(block?.timestamp ?? 0),
    nextGroupId: 1n,
    wallets: [],
    groups: [],
    usageApiKeys: [],
    actions: [],
  })
  expect(account.apiKeyHashes.toArray(true)).toEqual([[hash, false]])
  expect(await config.read('masterOf', hash)).toBe(hash)
})

test('an unknown hash resolves to 0, and reading its account reverts', async () => {
  expect(await config.read('masterOf', hashOf('nobody'))).toBe(0n)
  expect(await config.refusal(config.stranger, 'accountOf', hashOf('nobody'))).toEqual([
    'AccountDoesNotExist',
    hashOf('nobody'),
  ])
})

test('a second account under a hash, or under an alias of an account, is rejected', async () => {
  const hash = await config.newAccount('taken')
  await config.write(config.payer, 'rotateAccountApiKey', hash, hashOf('taken alias'))
  expect(await refusal(hashOf('taken alias'), addressOf('x'))).toEqual([
    'AccountAlreadyExists',
    hash,
  ])
  const other = await config.newAccount('taken too')
  expect(await refusal(other, addressOf('x'))).toEqual(['AccountAlreadyExists', other])
})

test.each([
  ['hash', 0n, addressOf('z'), "the key's hash is zero"],
  ['wallet', hashOf('z'), ZeroAddress, 'accountWallet is the zero address'],
])('a zero %s is rejected', async (_name, hash, wallet, reason) => {
  expect(await refusal(hash, wallet)).toEqual(['InvalidRequest', reason])
})

test('account takeover: the hash of a usage key cannot become an account, even after that key is removed', async () => {
  const hash = await config.newAccount('has a usage key')
  const usage = hashOf('usage')
  await config.write(config.payer, 'setUsageApiKey', hash, usage, usageKey())
  expect(await refusal(usage, addressOf('u'))).toEqual(['UsageApiKeyAlreadyExists', usage, hash])
  await config.write(config.payer, 'removeUsageApiKey', hash, usage)
  expect(await refusal(usage, addressOf('u'))).toEqual(['ApiKeyHashAlreadyRevoked', usage])
})

test('an alias reads and writes its account, and events carry the master hash', async () => {
  const hash = await config.newAccount('aliased')
  await config.write(config.payer, 'rotateAccountApiKey', hash, hashOf('alias'))
  const receipt = await config.write(config.payer, 'addGroup', hashOf('alias'), 'g', '', [], [])
  expect(eventsOf(receipt)).toEqual([['GroupSet', hash, 1n, 'g', '', [], []]])
  const account = await config.read('accountOf', hashOf('alias'))
  expect(account.accountHash).toBe(hash)
  expect(account.groups).toHaveLength(1)
  expect(await config.read('masterOf', hashOf('alias'))).toBe(hash)
})
