import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  cidHashOf,
  cidOf,
  eventsOf,
  hashOf,
  startAccountConfig,
  usageKey,
} from './account-config.ts'
import type { AccountConfig } from './account-config.ts'

let config: AccountConfig
let account: bigint
let everywhere: bigint
let inFirst: bigint

beforeAll(async () => {
  config = await startAccountConfig()
  account = await config.newAccount('account')
  for (const name of ['first', 'second']) await write('addGroup', account, name, '', [], [])
  everywhere = hashOf('manages every group')
  inFirst = hashOf('manages the first group')
  await write('setUsageApiKey', account, everywhere, usageKey({ manageIpfsIdsInGroups: [0n] }))
  await write('setUsageApiKey', account, inFirst, usageKey({ manageIpfsIdsInGroups: [1n] }))
})
afterAll(() => config.close())

const write = (name: string, ...args: unknown[]) => config.write(config.payer, name, ...args)
const refusal = (name: string, ...args: unknown[]) => config.refusal(config.payer, name, ...args)
const recordOf = async (text: string) =>
  (await config.read('accountOf', account)).actions
    .toArray(true)
    .find(([cidHash]: [bigint]) => cidHash === cidHashOf(cidOf(text)))
const groupsWith = async (text: string) =>
  (await config.read('accountOf', account)).groups
    .toArray(true)
    .filter(([, , , , cidHashes]: [bigint, string, string, string[], bigint[]]) =>
      cidHashes.includes(cidHashOf(cidOf(text))),
    )
    .map(([groupId]: [bigint]) => groupId)

describe('addAction', () => {
  test('records CID, name and description, and permits the action in no group', async () => {
    await write('addAction', account, cidOf('recorded'), 'name', 'description')
    expect(await recordOf('recorded')).toEqual([
      cidHashOf(cidOf('recorded')),
      cidOf('recorded'),
      'name',
      'description',
    ])
    expect(await groupsWith('recorded')).toEqual([])
  })

  test('is rejected if the action is already recorded', async () => {
    await write('addAction', account, cidOf('twice'), 'first', '')
    expect(await refusal('addAction', account, cidOf('twice'), 'second', '')).toEqual([
      'ActionAlreadyExists',
      account,
      cidHashOf(cidOf('twice')),
    ])
  })

  test('accepts a CID of 128 bytes, but not an empty or a longer one', async () => {
    expect(await refusal('addAction', account, 'b'.repeat(128), '', '')).toBeUndefined()
    expect(await refusal('addAction', account, '', '', '')).toEqual([
      'InvalidRequest',
      'cid is empty',
    ])
    expect(await refusal('addAction', account, 'b'.repeat(129), '', '')).toEqual([
      'TooLong',
      'cid',
      129n,
      128n,
    ])
  })
})

describe('addActionToGroup', () => {
  const add = (credential: bigint, group: bigint, text: string, name = '', description = '') =>
    write('addActionToGroup', credential, group, cidOf(text), name, description)

  test('records a new action and permits it only in that group', async () => {
    const receipt = await add(account, 1n, 'new', 'name', 'description')
    const cidHash = cidHashOf(cidOf('new'))
    expect(eventsOf(receipt)).toEqual([
      ['ActionSet', account, cidHash, cidOf('new'), 'name', 'description'],
      ['ActionInGroupSet', account, 1n, cidHash, true],
    ])
    expect(await groupsWith('new')).toEqual([1n])
  })

  test('is idempotent and permits the action once', async () => {
    for (let times = 0; times < 2; times++) await add(account, 1n, 'repeated')
    expect(await groupsWith('repeated')).toEqual([1n])
    expect((await recordOf('repeated')).slice(2)).toEqual(['', ''])
  })

  test('keeps the recorded texts if none are given, and otherwise replaces them', async () => {
    await add(account, 1n, 'renamed', 'name', 'description')
    await add(account, 2n, 'renamed')
    expect((await recordOf('renamed')).slice(2)).toEqual(['name', 'description'])
    await add(account, 2n, 'renamed', 'new name')
    expect((await recordOf('renamed')).slice(2)).toEqual(['new name', 'description'])
    await add(account, 2n, 'renamed', '', 'new description')
    expect((await recordOf('renamed')).slice(2)).toEqual(['new name', 'new description'])
  })

  test('lets a usage key of one group name a new action, but not rename an action of other groups', async () => {
    await add(inFirst, 1n, 'by a usage key', 'its name', 'its description')
    expect((await recordOf('by a usage key')).slice(2)).toEqual(['its name', 'its description'])
    const receipt = await add(inFirst, 1n, 'by a usage key', 'pay to the thief', 'harmless')
    expect((await recordOf('by a usage key')).slice(2)).toEqual(['its name', 'its description'])
    expect(eventsOf(receipt).map(([name]) => name)).toEqual(['ActionInGroupSet'])
  })

  test('lets a usage key of every group rename an action', async () => {
    await add(account, 1n, 'renamed by a usage key', 'name', '')
    await add(everywhere, 2n, 'renamed by a usage key', 'new name', '')
    expect((await recordOf('renamed by a usage key'))[2]).toBe('new name')
  })

  test('leaves no record behind if the group does not exist', async () => {
    expect(await refusal('addActionToGroup', account, 9n, cidOf('nowhere'), 'name', '')).toEqual([
      'GroupDoesNotExist',
      account,
      9n,
    ])
    expect(await recordOf('nowhere')).toBeUndefined()
  })
})

describe('removeActionFromGroup', () => {
  test('removes the action from that group, keeps the record, and is idempotent', async () => {
    for (const group of [1n, 2n])
      await write('addActionToGroup', account, group, cidOf('taken out'), 'name', '')
    for (let times = 0; times < 2; times++)
      await write('removeActionFromGroup', account, 1n, cidHashOf(cidOf('taken out')))
    expect(await groupsWith('taken out')).toEqual([2n])
    expect((await recordOf('taken out'))[2]).toBe('name')
  })
})

describe('deleteAction', () => {
  test('deletes the record and removes the action from every group', async () => {
    const cidHash = cidHashOf(cidOf('deleted'))
    for (const group of [1n, 2n])
      await write('addActionToGroup', account, group, cidOf('deleted'), '', '')
    const receipt = await write('deleteAction', account, cidHash)
    expect(eventsOf(receipt)).toEqual([
      ['ActionInGroupSet', account, 1n, cidHash, false],
      ['ActionInGroupSet', account, 2n, cidHash, false],
      ['ActionRemoved', account, cidHash],
    ])
    expect(await recordOf('deleted')).toBeUndefined()
    expect(await groupsWith('deleted')).toEqual([])
  })

  test('lets the action be recorded again, with empty texts', async () => {
    await write('addAction', account, cidOf('again'), 'name', 'description')
    await write('deleteAction', account, cidHashOf(cidOf('again')))
    await write('addActionToGroup', account, 1n, cidOf('again'), '', '')
    expect((await recordOf('again')).slice(2)).toEqual(['', ''])
  })
})

test.each(['deleteAction', 'updateActionMetadata'])(
  '%s reverts for an action without a record, or with a record only in another account',
  async (name) => {
    const other = await config.newAccount(`other of ${name}`)
    await write('addAction', other, cidOf(`theirs, ${name}`), '', '')
    await write('addGroup', account, '', '', [], [cidHashOf(cidOf('only permitted'))])
    const rest = name === 'deleteAction' ? [] : [3n, 'x', '']
    for (const text of [`theirs, ${name}`, 'only permitted', 'never was']) {
      expect(await refusal(name, account, cidHashOf(cidOf(text)), ...rest)).toEqual([
        'ActionDoesNotExist',
        account,
        cidHashOf(cidOf(text)),
      ])
    }
  },
)
