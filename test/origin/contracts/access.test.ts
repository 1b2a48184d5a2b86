import type { Signer } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountConfigAbi } from '../../../shared/abi/account-config.ts'
import {
  currentHashOf,
  giveAway,
  openAccount,
  removedHashOf,
  rotatedHashOf,
  usageHashOf,
  WRITES,
} from './access-table.ts'
import type { Access } from './access-table.ts'
import { hashOf, startAccountConfig } from './account-config.ts'
import type { AccountConfig } from './account-config.ts'

let config: AccountConfig
let managed: bigint
let unmanaged: bigint

beforeAll(async () => {
  config = await startAccountConfig()
  managed = await openAccount(config, 'managed', config.wallet(3).address)
  unmanaged = await openAccount(config, 'unmanaged', config.wallet(7).address)
  await giveAway(config, 'unmanaged', config.wallet(6), config.wallet(4).address)
  await openAccount(config, 'another', config.wallet(8).address)
  await config.convert(currentHashOf('another'), config.wallet(5).address)
})
afterAll(() => config.close())

const callers: Record<string, () => Signer & { address: string }> = {
  "the diamond's owner": () => config.owner,
  'an api payer': () => config.payer,
  'a stranger': () => config.stranger,
  "the managed account's own wallet": () => config.wallet(3),
  "the unmanaged account's admin wallet": () => config.wallet(4),
  "another unmanaged account's admin wallet": () => config.wallet(5),
  "the unmanaged account's former admin wallet": () => config.wallet(6),
  'the wallet that the unmanaged account had in API mode': () => config.wallet(7),
}
const everyCaller = Object.entries(callers)
/** All callers, by name, except the one that is allowed. */
const allBut = (allowed: string) => everyCaller.filter(([name]) => name !== allowed)

const writesFor = (...access: Access[]) =>
  Object.entries(WRITES).filter(([, write]) => access.includes(write.access))
const onManaged = writesFor('managed', 'master', 'permitted')
const onUnmanaged = writesFor('unmanaged', 'master', 'permitted')
const onAccounts = writesFor('managed', 'unmanaged', 'master', 'permitted')

test('the table has a row for exactly the functions of the ABI that write', () => {
  const writes = accountConfigAbi.filter(
    (item) => item.type === 'function' && item.stateMutability !== 'view',
  )
  const byName = (a: string, b: string) => a.localeCompare(b)
  expect(Object.keys(WRITES).toSorted(byName)).toEqual(
    writes.map(({ name }) => name).toSorted(byName),
  )
})

test('writes of an account take the credential first, and other writes take none', () => {
  for (const item of accountConfigAbi) {
    if (item.type !== 'function' || item.stateMutability === 'view') continue
    const takesCredential = ['managed', 'unmanaged', 'master', 'permitted'].includes(
      WRITES[item.name]?.access ?? '',
    )
    const first = item.inputs[0]?.name === 'apiKeyHash'
    expect([item.name, first]).toEqual([item.name, takesCredential || item.name === 'newAccount'])
  }
})

describe.each(onManaged)('%s on a managed account', (name, { access, args, withoutPermission }) => {
  const refusal = (caller: Signer, credential: bigint) =>
    config.refusal(caller, name, credential, ...args('managed', config))

  test.each(allBut('an api payer'))('is rejected for %s', async (_name, caller) => {
    for (const credential of [managed, currentHashOf('managed'), usageHashOf('managed')]) {
      expect(await refusal(caller(), credential)).toEqual([
        'NoAccountAccess',
        managed,
        caller().address,
      ])
    }
  })

  test('is accepted from an api payer with the current key', async () => {
    expect(await refusal(config.payer, currentHashOf('managed'))).toBeUndefined()
  })

  test('is rejected with a rotated key, the first or a later one, and with a removed usage key', async () => {
    for (const revoked of [managed, rotatedHashOf('managed'), removedHashOf('managed')]) {
      expect(await refusal(config.payer, revoked)).toEqual(['ApiKeyRevoked', revoked])
    }
  })

  test('is rejected with a usage key without permissions', async () => {
    const usage = usageHashOf('managed')
    const [error, hash] = (await refusal(config.payer, usage)) ?? []
    expect([error, hash]).toEqual([
      access === 'permitted' ? withoutPermission : 'NotMasterAccount',
      usage,
    ])
  })
})

describe.each(onUnmanaged)('%s on an unmanaged account', (name, { access, args }) => {
  const refusal = (caller: Signer, credential: bigint) =>
    config.refusal(caller, name, credential, ...args('unmanaged', config))

  test.each(allBut("the unmanaged account's admin wallet"))(
    'is rejected for %s',
    async (_, caller) => {
      for (const credential of [unmanaged, currentHashOf('unmanaged')]) {
        expect(await refusal(caller(), credential)).toEqual([
          'NoAccountAccess',
          unmanaged,
          caller().address,
        ])
      }
    },
  )

  test('is accepted from its admin wallet, with any hash of the account', async () => {
    for (const hash of [unmanaged, rotatedHashOf('unmanaged'), currentHashOf('unmanaged')]) {
      expect(await refusal(config.wallet(4), hash)).toBeUndefined()
    }
  })

  test('is rejected with a removed usage key, even for the admin wallet', async () => {
    const removed = removedHashOf('unmanaged')
    const expected =
      access === 'unmanaged' ? ['AccountDoesNotExist', removed] : ['ApiKeyRevoked', removed]
    expect(await refusal(config.wallet(4), removed)).toEqual(expected)
  })
})

test.each(everyCaller)(
  'only managed accounts can be converted, tried by %s',
  async (_name, caller) => {
    const args = WRITES['convertToChainSecuredAccount']?.args('', config) ?? []
    for (const hash of [unmanaged, currentHashOf('unmanaged'), usageHashOf('unmanaged')]) {
      expect(await config.refusal(caller(), 'convertToChainSecuredAccount', hash, ...args)).toEqual(
        ['InvalidRequest', 'the account is not managed'],
      )
    }
  },
)

test('an unmanaged account has no API key to rotate', async () => {
  const refusal = (caller: Signer) =>
    config.refusal(caller, 'rotateAccountApiKey', unmanaged, hashOf('next'))
  expect(await refusal(config.wallet(4))).toEqual(['InvalidRequest', 'the account has no API key'])
  expect(await refusal(config.payer)).toEqual(['NoAccountAccess', unmanaged, config.payer.address])
})

describe.each(onAccounts)('%s', (name, { args }) => {
  test.each(everyCaller)('reverts for %s if the account does not exist', async (_name, caller) => {
    for (const nobody of [hashOf('nobody'), 0n]) {
      const refusal = await config.refusal(caller(), name, nobody, ...args('managed', config))
      expect(refusal).toEqual(['AccountDoesNotExist', nobody])
    }
  })
})

test.each(allBut('an api payer'))('newAccount is rejected for %s', async (_name, caller) => {
  const args = WRITES['newAccount']?.args('', config) ?? []
  expect(await config.refusal(caller(), 'newAccount', ...args)).toEqual([
    'NotApiPayer',
    caller().address,
  ])
})

describe.each(writesFor('owner'))('%s', (name, { args }) => {
  test("is accepted from the diamond's owner", async () => {
    expect(await config.refusal(config.owner, name, ...args('', config))).toBeUndefined()
  })

  test.each(allBut("the diamond's owner"))('is rejected for %s', async (_name, caller) => {
    expect(await config.refusal(caller(), name, ...args('', config))).toEqual(['Ownable__NotOwner'])
  })
})

test('a removed payer loses access with that transaction', async () => {
  const former = config.wallet(9)
  const refusal = () =>
    config.refusal(former, 'addGroup', currentHashOf('managed'), 'g', '', [], [])
  await config.write(config.owner, 'setApiPayers', [former.address], true)
  expect(await refusal()).toBeUndefined()
  await config.write(config.owner, 'setApiPayers', [former.address], false)
  expect(await refusal()).toEqual(['NoAccountAccess', managed, former.address])
  expect(await config.read('isApiPayer', former.address)).toBe(false)
})
