import { id, ZeroAddress } from 'ethers'
import type { TransactionReceipt } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WRITES } from './access-table.ts'
import {
  addressOf,
  cidHashOf,
  cidOf,
  eventsOf,
  EVERY_WALLET,
  hashOf,
  hashOfWallet,
  pkpIdOf,
  startAccountConfig,
  usageKey,
} from './account-config.ts'
import type { AccountConfig } from './account-config.ts'
import { NO_POLICY, terms } from './policies.ts'

let config: AccountConfig
beforeAll(async () => {
  config = await startAccountConfig()
})
afterAll(() => config.close())

/** Opens a managed account for each write, and binds the write to an alias of the account. */
async function opened(text: string) {
  const hash = await config.newAccount(text)
  const credential = hashOf(`credential of ${text}`)
  await config.write(config.payer, 'rotateAccountApiKey', hash, credential)
  const write = (name: string, ...args: unknown[]) =>
    config.write(config.payer, name, credential, ...args)
  return { hash, credential, write }
}
const timeOf = async ({ blockNumber }: TransactionReceipt) =>
  BigInt((await config.provider.getBlock(blockNumber))?.timestamp ?? 0)

const cidHash = cidHashOf(cidOf('a'))
const key = usageKey({ name: 'k', canCreatePkps: true, executeInGroups: [1n, 0n] })

/** Performs a write, and returns its receipt and all expected events in order. */
type Emitted = () => Promise<[TransactionReceipt, unknown[][]]>

const EMITTED: Record<string, Emitted> = {
  newAccount: async () => {
    const [hash, wallet] = [hashOf('new'), addressOf('new')]
    const receipt = await config.write(config.payer, 'newAccount', hash, wallet, 'n', 'd')
    return [receipt, [['AccountCreated', hash, true, wallet, 'n', 'd', await timeOf(receipt)]]]
  },
  newChainSecuredAccount: async () => {
    const admin = await config.freshWallet()
    const receipt = await config.write(admin, 'newChainSecuredAccount', 'n', 'd')
    const created = ['AccountCreated', hashOfWallet(admin.address), false, admin.address, 'n', 'd']
    return [receipt, [[...created, await timeOf(receipt)]]]
  },
  convertToChainSecuredAccount: async () => {
    const { hash, write } = await opened('converted')
    const admin = addressOf('admin')
    return [
      await write('convertToChainSecuredAccount', admin, id('proof')),
      [
        ['AccountConverted', hash, admin],
        ['AliasSet', hash, hashOfWallet(admin), admin],
      ],
    ]
  },
  transferChainSecuredAccountOwnership: async () => {
    const { hash, credential } = await opened('transferred')
    const admin = await config.freshWallet()
    await config.convert(credential, admin.address)
    const next = addressOf('next admin')
    return [
      await config.write(admin, 'transferChainSecuredAccountOwnership', credential, next),
      [
        ['AliasSet', hash, hashOfWallet(next), next],
        ['ChainSecuredAccountOwnershipTransferred', hash, admin.address, next],
      ],
    ]
  },
  rotateAccountApiKey: async () => {
    const { hash, credential, write } = await opened('rotated')
    return [
      await write('rotateAccountApiKey', hashOf('rotated to')),
      [
        ['AliasSet', hash, hashOf('rotated to'), ZeroAddress],
        ['ApiKeyHashRevoked', hash, credential],
      ],
    ]
  },
  registerWalletDerivation: async () => {
    const { hash, write } = await opened('wallet')
    const values = [pkpIdOf('w'), pkpIdOf('p'), 'n', 'd']
    return [
      await write('registerWalletDerivation', ...values),
      [['WalletRegistered', hash, ...values]],
    ]
  },
  registerPolicyWallet: async () => {
    const { hash, write } = await opened('policy wallet')
    const { policyHash, ...rest } = terms('policy', 60, true)
    const values = [pkpIdOf('w'), pkpIdOf('p'), 'n', 'd']
    const receipt = await write('registerPolicyWallet', ...values, { policyHash, ...rest }, '0x')
    const time = await timeOf(receipt)
    const policy = [NO_POLICY, policyHash, 60n, true, time, time]
    return [
      receipt,
      [
        ['WalletRegistered', hash, ...values],
        ['WalletPolicySet', hash, pkpIdOf('w'), ...policy],
      ],
    ]
  },
  setWalletPolicy: async () => {
    const { hash, write } = await opened('policy set')
    const wallet = [pkpIdOf('w'), pkpIdOf('p'), 'n', 'd']
    const [before, after] = [terms('policy', 60), terms('next', 0, true)]
    await write('registerPolicyWallet', ...wallet, before, '0x')
    const change = [pkpIdOf('w'), before.policyHash, after, false, '0x']
    const receipt = await write('setWalletPolicy', ...change)
    const time = await timeOf(receipt)
    const policy = [before.policyHash, after.policyHash, 0n, true, time, time + 60n]
    return [receipt, [['WalletPolicySet', hash, pkpIdOf('w'), ...policy]]]
  },
  addGroup: async () => {
    const { hash, write } = await opened('group')
    return [
      await write('addGroup', 'n', 'd', [EVERY_WALLET, EVERY_WALLET], [5n, 0n, 5n]),
      [['GroupSet', hash, 1n, 'n', 'd', [EVERY_WALLET], [5n, 0n]]],
    ]
  },
  updateGroup: async () => {
    const { hash, write } = await opened('updated group')
    await write('addGroup', 'n', 'd', [EVERY_WALLET], [5n])
    const change = { name: 'N', description: 'D', pkpIds: [], cidHashes: [6n] }
    return [
      await write('updateGroup', 1n, 9n, change),
      [['GroupSet', hash, 1n, 'N', 'd', [EVERY_WALLET], [6n]]],
    ]
  },
  removeGroup: async () => {
    const { hash, write } = await opened('removed group')
    await write('addGroup', 'n', 'd', [EVERY_WALLET], [5n])
    return [await write('removeGroup', 1n), [['GroupRemoved', hash, 1n]]]
  },
  addPkpToGroup: async () => {
    const { hash, write } = await opened('pkp added')
    await write('addGroup', 'n', 'd', [], [])
    return [
      await write('addPkpToGroup', 1n, EVERY_WALLET),
      [['PkpInGroupSet', hash, 1n, EVERY_WALLET, true]],
    ]
  },
  removePkpFromGroup: async () => {
    const { hash, write } = await opened('pkp removed')
    await write('addGroup', 'n', 'd', [EVERY_WALLET], [])
    return [
      await write('removePkpFromGroup', 1n, EVERY_WALLET),
      [['PkpInGroupSet', hash, 1n, EVERY_WALLET, false]],
    ]
  },
  addActionToGroup: async () => {
    const { hash, write } = await opened('action in group')
    await write('addGroup', 'n', 'd', [], [])
    return [
      await write('addActionToGroup', 1n, cidOf('a'), 'n', 'd'),
      [
        ['ActionSet', hash, cidHash, cidOf('a'), 'n', 'd'],
        ['ActionInGroupSet', hash, 1n, cidHash, true],
      ],
    ]
  },
  removeActionFromGroup: async () => {
    const { hash, write } = await opened('action out of group')
    await write('addGroup', 'n', 'd', [], [cidHash])
    return [
      await write('removeActionFromGroup', 1n, cidHash),
      [['ActionInGroupSet', hash, 1n, cidHash, false]],
    ]
  },
  setUsageApiKey: async () => {
    const { hash, write } = await opened('usage key')
    await write('addGroup', 'n', 'd', [], [])
    const receipt = await write('setUsageApiKey', hashOf('set'), key)
    const values = Object.values(key)
    return [receipt, [['UsageApiKeySet', hash, hashOf('set'), values, await timeOf(receipt)]]]
  },
  updateUsageApiKey: async () => {
    const { hash, write } = await opened('updated usage key')
    await write('addGroup', 'n', 'd', [], [])
    const createdAt = await timeOf(await write('setUsageApiKey', hashOf('updated'), key))
    const values = Object.values({ ...key, executeInGroups: [] })
    return [
      await write('updateUsageApiKey', hashOf('updated'), 256n, usageKey()),
      [['UsageApiKeySet', hash, hashOf('updated'), values, createdAt]],
    ]
  },
  removeUsageApiKey: async () => {
    const { hash, write } = await opened('removed usage key')
    await write('setUsageApiKey', hashOf('removed'), usageKey())
    return [
      await write('removeUsageApiKey', hashOf('removed')),
      [['UsageApiKeyRemoved', hash, hashOf('removed')]],
    ]
  },
  addAction: async () => {
    const { hash, write } = await opened('action')
    return [
      await write('addAction', cidOf('a'), 'n', 'd'),
      [['ActionSet', hash, cidHash, cidOf('a'), 'n', 'd']],
    ]
  },
  updateActionMetadata: async () => {
    const { hash, write } = await opened('updated action')
    await write('addAction', cidOf('a'), 'n', 'd')
    return [
      await write('updateActionMetadata', cidHash, 2n, '', ''),
      [['ActionSet', hash, cidHash, cidOf('a'), 'n', '']],
    ]
  },
  deleteAction: async () => {
    const { hash, write } = await opened('deleted action')
    await write('addGroup', 'without it', 'd', [], [0n])
    await write('addGroup', 'with it', 'd', [], [cidHash])
    await write('addAction', cidOf('a'), 'n', 'd')
    return [
      await write('deleteAction', cidHash),
      [
        ['ActionInGroupSet', hash, 2n, cidHash, false],
        ['ActionRemoved', hash, cidHash],
      ],
    ]
  },
  setApiPayers: async () => {
    const payers = [addressOf('payer 1'), addressOf('payer 2')]
    return [
      await config.write(config.owner, 'setApiPayers', payers, true),
      payers.map((payer) => ['ApiPayerSet', payer, true]),
    ]
  },
  setNodeConfiguration: async () => [
    await config.write(config.owner, 'setNodeConfiguration', 'key', 'value'),
    [['NodeConfigurationSet', 'key', 'value']],
  ],
}

test('every write has its events listed here', () => {
  expect(Object.keys(EMITTED).toSorted()).toEqual(Object.keys(WRITES).toSorted())
})

test.each(Object.entries(EMITTED))(
  '%s emits exactly its changes, with the resolved master hash',
  async (_name, emitted) => {
    const [receipt, events] = await emitted()
    expect(eventsOf(receipt)).toEqual(events)
  },
)
