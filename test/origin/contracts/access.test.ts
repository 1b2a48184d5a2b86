import type { HDNodeWallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressOf, hashOf, pkpIdOf, startAccountConfig, usageKey } from './account-config.ts'
import type { AccountConfig } from './account-config.ts'

let config: AccountConfig
let managed: bigint
let unmanaged: bigint
let othersUnmanaged: bigint

beforeAll(async () => {
  config = await startAccountConfig()
  managed = hashOf('managed')
  await config.write(config.payer, 'newAccount', managed, config.wallet(3).address, 'managed', '')
  unmanaged = await config.newAccount('unmanaged')
  await config.makeUnmanaged(unmanaged, config.wallet(4).address)
  othersUnmanaged = await config.newAccount('another')
  await config.makeUnmanaged(othersUnmanaged, config.wallet(5).address)
})
afterAll(() => config.close())

const callers: Record<string, () => HDNodeWallet> = {
  "the diamond's owner": () => config.owner,
  'an api payer': () => config.payer,
  'a stranger': () => config.stranger,
  "the managed account's own wallet": () => config.wallet(3),
  "the unmanaged account's admin wallet": () => config.wallet(4),
  "another unmanaged account's admin wallet": () => config.wallet(5),
}
const everyCaller = Object.entries(callers)
/** The callers, by name, but for the one who is let in. */
const allBut = (allowed: string) => everyCaller.filter(([name]) => name !== allowed)

const accountWrites: Record<string, unknown[]> = {
  registerWallet: [pkpIdOf('wallet'), pkpIdOf('path'), 'wallet', ''],
  addGroup: ['group', '', [], []],
  setUsageApiKey: [hashOf('usage'), usageKey()],
}
const ownerWrites: Record<string, () => unknown[]> = {
  setApiPayers: () => [[config.stranger.address], true],
  setNodeConfiguration: () => ['key', 'value'],
}

describe.each(Object.keys(accountWrites))('%s', (write) => {
  const args = accountWrites[write] ?? []

  test.each(allBut('an api payer'))(
    'on a managed account is refused to %s',
    async (_name, caller) => {
      const refusal = await config.refusal(caller(), write, managed, ...args)
      expect(refusal).toEqual(['NoAccountAccess', managed, caller().address])
    },
  )

  test.each(allBut("the unmanaged account's admin wallet"))(
    'on an unmanaged account is refused to %s',
    async (_name, caller) => {
      const refusal = await config.refusal(caller(), write, unmanaged, ...args)
      expect(refusal).toEqual(['NoAccountAccess', unmanaged, caller().address])
    },
  )

  test('is taken from an api payer on a managed, and from the admin wallet on an unmanaged account', async () => {
    expect(await config.refusal(config.payer, write, managed, ...args)).toBeUndefined()
    expect(await config.refusal(config.wallet(4), write, unmanaged, ...args)).toBeUndefined()
    expect(await config.refusal(config.wallet(5), write, othersUnmanaged, ...args)).toBeUndefined()
  })

  test.each(everyCaller)('on an account that does not exist tells %s so', async (_name, caller) => {
    const refusal = await config.refusal(caller(), write, hashOf('nobody'), ...args)
    expect(refusal).toEqual(['AccountDoesNotExist', hashOf('nobody')])
  })
})

test.each(allBut('an api payer'))('newAccount is refused to %s', async (_name, caller) => {
  const args = [hashOf('new'), addressOf('new'), 'new', '']
  const refusal = await config.refusal(caller(), 'newAccount', ...args)
  expect(refusal).toEqual(['NotApiPayer', caller().address])
})

describe.each(Object.keys(ownerWrites))('%s', (write) => {
  test.each(allBut("the diamond's owner"))('is refused to %s', async (_name, caller) => {
    const args = ownerWrites[write]?.() ?? []
    expect(await config.refusal(caller(), write, ...args)).toEqual(['Ownable__NotOwner'])
  })
})

test('a payer that is no longer one loses access with that transaction', async () => {
  const former = config.wallet(6)
  await config.write(config.owner, 'setApiPayers', [former.address], true)
  expect(await config.refusal(former, 'addGroup', managed, 'g', '', [], [])).toBeUndefined()
  await config.write(config.owner, 'setApiPayers', [former.address], false)
  expect(await config.refusal(former, 'addGroup', managed, 'g', '', [], [])).toEqual([
    'NoAccountAccess',
    managed,
    former.address,
  ])
  expect(await config.read('isApiPayer', former.address)).toBe(false)
})
