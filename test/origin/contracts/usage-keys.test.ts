import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PERMISSION_IDS_MAX } from '../../../shared/limits.ts'
import { eventsOf, hashOf, startAccountConfig, usageKey } from './account-config.ts'
import type { AccountConfig } from './account-config.ts'

let config: AccountConfig
let account: bigint
let other: bigint

beforeAll(async () => {
  config = await startAccountConfig()
  account = await config.newAccount('account')
  other = await config.newAccount('other')
  for (const name of ['one', 'two']) {
    await config.write(config.payer, 'addGroup', account, name, '', [], [])
  }
})
afterAll(() => config.close())

const set = (hash: bigint, text: string, granted: Record<string, unknown> = {}) =>
  config.write(config.payer, 'setUsageApiKey', hash, hashOf(text), usageKey(granted))
const remove = (hash: bigint, text: string) =>
  config.write(config.payer, 'removeUsageApiKey', hash, hashOf(text))
const refusal = (hash: bigint, usageHash: bigint, granted: Record<string, unknown> = {}) =>
  config.refusal(config.payer, 'setUsageApiKey', hash, usageHash, usageKey(granted))
const read = async (hash: bigint, text: string) =>
  (await config.read('accountOf', hash)).usageApiKeys.find(
    ({ apiKeyHash }: { apiKeyHash: bigint }) => apiKeyHash === hashOf(text),
  )

const inAbiOrder = (granted: Record<string, unknown>) => Object.values(usageKey(granted))
const ARRAYS = ['manageIpfsIdsInGroups', 'addPkpToGroups', 'removePkpFromGroups', 'executeInGroups']

test('a usage key keeps its name and each permission as given', async () => {
  const granted = {
    name: 'ci',
    description: 'deploys',
    canCreateGroups: true,
    canDeleteGroups: false,
    canCreatePkps: true,
    manageIpfsIdsInGroups: [1n],
    addPkpToGroups: [1n, 2n],
    removePkpFromGroups: [],
    executeInGroups: [0n],
  }
  const receipt = await set(account, 'kept', granted)
  const block = await config.provider.getBlock(receipt.blockNumber)
  const record = await read(account, 'kept')
  expect(record.createdAt).toBe(BigInt(block?.timestamp ?? 0))
  expect(record.key.toArray(true)).toEqual(inAbiOrder(granted))
})

test('setting a key again replaces every permission and keeps the creation time', async () => {
  await set(account, 'replaced', { name: 'before', canCreatePkps: true, executeInGroups: [1n, 2n] })
  const { createdAt } = await read(account, 'replaced')
  await config.provider.send('evm_increaseTime', [60])
  await set(account, 'replaced', { name: 'after', executeInGroups: [2n] })
  const replaced = await read(account, 'replaced')
  expect(replaced.key.toArray(true)).toEqual(inAbiOrder({ name: 'after', executeInGroups: [2n] }))
  expect(replaced.createdAt).toBe(createdAt)
})

test('a removed key disappears from the account and stops being a credential', async () => {
  await set(account, 'removed', { canCreateGroups: true, executeInGroups: [1n, 2n] })
  const may = () => config.refusal(config.payer, 'addGroup', hashOf('removed'), '', '', [], [])
  expect(await may()).toBeUndefined()
  expect(eventsOf(await remove(account, 'removed'))).toEqual([
    ['UsageApiKeyRemoved', account, hashOf('removed')],
  ])
  expect(await read(account, 'removed')).toBeUndefined()
  expect(await may()).toEqual(['ApiKeyRevoked', hashOf('removed')])
})

test.each(['updateUsageApiKey', 'removeUsageApiKey'])(
  '%s reverts for a key that never existed, was removed, or belongs to another account',
  async (name) => {
    await set(account, `gone by ${name}`)
    await remove(account, `gone by ${name}`)
    await set(other, `not yours by ${name}`)
    const rest = name === 'updateUsageApiKey' ? [1n, usageKey()] : []
    for (const text of ['never was', `gone by ${name}`, `not yours by ${name}`]) {
      expect(await config.refusal(config.payer, name, account, hashOf(text), ...rest)).toEqual([
        'UsageApiKeyDoesNotExist',
        account,
        hashOf(text),
      ])
    }
  },
)

test('a removed group can stay listed in a key, and new lists can include it', async () => {
  const groups = await config.newAccount('with a removed group')
  await config.write(config.payer, 'addGroup', groups, '', '', [], [])
  await set(groups, 'lists a removed group', { executeInGroups: [1n] })
  await config.write(config.payer, 'removeGroup', groups, 1n)
  const { key } = await read(groups, 'lists a removed group')
  expect(key.executeInGroups.toArray()).toEqual([1n])
  expect(await refusal(groups, hashOf('later key'), { executeInGroups: [1n] })).toBeUndefined()
})

describe.each(ARRAYS)('%s', (field) => {
  test('cannot include a group that the account never had', async () => {
    expect(await refusal(account, hashOf('k'), { [field]: [1n, 3n] })).toEqual([
      'GroupDoesNotExist',
      account,
      3n,
    ])
  })

  test(`accepts at most ${PERMISSION_IDS_MAX} IDs`, async () => {
    const ids = Array.from({ length: PERMISSION_IDS_MAX }, () => 1n)
    expect(await refusal(account, hashOf('k'), { [field]: ids })).toBeUndefined()
    expect(await refusal(account, hashOf('k'), { [field]: [...ids, 1n] })).toEqual([
      'TooManyIds',
      field,
      BigInt(PERMISSION_IDS_MAX + 1),
      BigInt(PERMISSION_IDS_MAX),
    ])
  })

  test('can include 0, for every group', async () => {
    expect(await refusal(account, hashOf('k'), { [field]: [0n] })).toBeUndefined()
  })
})

test('the hash 0 cannot be a key', async () => {
  expect(await refusal(account, 0n)).toEqual(['InvalidRequest', "the key's hash is zero"])
})

describe('attacks', () => {
  test("key takeover: rejects the hash of another account's usage key, and leaves that key unchanged", async () => {
    await set(account, 'mine', { executeInGroups: [1n] })
    expect(await refusal(other, hashOf('mine'))).toEqual([
      'UsageApiKeyAlreadyExists',
      hashOf('mine'),
      account,
    ])
    expect((await read(account, 'mine')).key.executeInGroups.toArray()).toEqual([1n])
  })

  test('account takeover: rejects the hash of the own or another account as a usage key', async () => {
    expect(await refusal(account, account)).toEqual(['AccountAlreadyExists', account])
    expect(await refusal(other, account)).toEqual(['AccountAlreadyExists', account])
  })

  test('account takeover: rejects the alias of an account as a usage key', async () => {
    const rotated = await config.newAccount('rotated')
    await config.write(config.payer, 'rotateAccountApiKey', rotated, hashOf('alias'))
    for (const hash of [hashOf('alias'), other])
      expect(await refusal(hash, hashOf('alias'))).toEqual(['AccountAlreadyExists', rotated])
  })

  test('reuse: rejects a revoked key, also for its former account', async () => {
    await set(account, 'revoked')
    await remove(account, 'revoked')
    for (const hash of [account, other]) {
      expect(await refusal(hash, hashOf('revoked'))).toEqual([
        'ApiKeyHashAlreadyRevoked',
        hashOf('revoked'),
      ])
    }
  })

  test('advance grant: rejects a group that does not exist yet', async () => {
    const { nextGroupId } = await config.read('accountOf', account)
    expect(await refusal(account, hashOf('k'), { executeInGroups: [nextGroupId] })).toEqual([
      'GroupDoesNotExist',
      account,
      nextGroupId,
    ])
  })

  test("cross-account grant: rejects another account's group", async () => {
    expect(await refusal(other, hashOf('k'), { executeInGroups: [1n] })).toEqual([
      'GroupDoesNotExist',
      other,
      1n,
    ])
  })
})
