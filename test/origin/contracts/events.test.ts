import type { Log, LogDescription, Result } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  accountConfig,
  EVERY_WALLET,
  hashOf,
  pkpIdOf,
  startAccountConfig,
  usageKey,
} from './account-config.ts'
import type { AccountConfig } from './account-config.ts'

type Account = {
  fields: unknown[]
  nextGroupId: bigint
  wallets: Map<string, unknown[]>
  groups: Map<bigint, unknown[]>
  usageApiKeys: Map<bigint, unknown[]>
}
type State = { accounts: Map<bigint, Account>; payers: Set<string>; settings: Map<string, string> }

const emptyState = (): State => ({ accounts: new Map(), payers: new Set(), settings: new Map() })

/** The smallest mirror that the events allow. */
function apply(state: State, { name, args }: LogDescription): void {
  const values = args.toArray(true)
  const [accountHash, id, ...rest] = values
  const account = state.accounts.get(accountHash)
  switch (name) {
    case 'AccountCreated':
      if (account) break
      state.accounts.set(accountHash, {
        fields: values,
        nextGroupId: 1n,
        wallets: new Map(),
        groups: new Map(),
        usageApiKeys: new Map(),
      })
      break
    case 'WalletRegistered':
      account?.wallets.set(id, [id, ...rest])
      break
    case 'GroupSet':
      if (!account) break
      account.groups.set(id, [id, ...rest])
      if (id >= account.nextGroupId) account.nextGroupId = id + 1n
      break
    case 'UsageApiKeySet':
      account?.usageApiKeys.set(id, [id, rest[1], rest[0]])
      break
    case 'ApiPayerSet':
      if (args.allowed) state.payers.add(args.payer)
      else state.payers.delete(args.payer)
      break
    case 'NodeConfigurationSet':
      state.settings.set(args.key, args.value)
      break
    case 'OwnershipTransferred':
      break
    default:
      throw new Error(`an event that the mirror does not know: ${name}`)
  }
}

const byFirst = (list: Result) => new Map(list.toArray(true).map((item) => [item[0], item]))

/** The same of an account as the contract answers it. */
function fromView(view: Result): Account {
  const { accountHash, managed, adminWallet, name, description, createdAt } = view
  return {
    fields: [accountHash, managed, adminWallet, name, description, createdAt],
    nextGroupId: view.nextGroupId,
    wallets: byFirst(view.wallets),
    groups: byFirst(view.groups),
    usageApiKeys: byFirst(view.usageApiKeys),
  }
}

let config: AccountConfig
let hashes: bigint[]
let events: LogDescription[]

beforeAll(async () => {
  config = await startAccountConfig({ chain_name: 'local', token: 'ETH' })
  const write = (name: string, ...args: unknown[]) => config.write(config.payer, name, ...args)
  hashes = [await config.newAccount('a'), await config.newAccount('b')]
  const [a, b] = hashes
  await write('registerWallet', a, pkpIdOf('w1'), pkpIdOf('p1'), 'one', '')
  await write('registerWallet', a, pkpIdOf('w1'), pkpIdOf('p1 again'), 'one', 'again')
  await write('registerWallet', a, pkpIdOf('w2'), pkpIdOf('p2'), 'two', 'second')
  await write(
    'addGroup',
    a,
    'g1',
    'first',
    [pkpIdOf('w1'), pkpIdOf('w2'), pkpIdOf('w1')],
    [5n, 0n, 5n],
  )
  await write('addGroup', a, 'g2', '', [EVERY_WALLET], [])
  await write('addGroup', b, 'g1', 'of b', [], [9n])
  await write('setUsageApiKey', a, hashOf('k1'), usageKey({ executeInGroups: [1n, 2n] }))
  await write(
    'setUsageApiKey',
    a,
    hashOf('k2'),
    usageKey({ canCreateGroups: true, addPkpToGroups: [0n] }),
  )
  await config.provider.send('evm_increaseTime', [60])
  await write(
    'setUsageApiKey',
    a,
    hashOf('k1'),
    usageKey({ name: 'renamed', executeInGroups: [2n] }),
  )
  await config.write(
    config.owner,
    'setApiPayers',
    [config.wallet(7).address, config.wallet(8).address],
    true,
  )
  await config.write(config.owner, 'setApiPayers', [config.wallet(7).address], false)
  await config.write(config.owner, 'setNodeConfiguration', 'token', 'xDAI')

  const logs = await config.provider.getLogs({ address: config.address, fromBlock: config.block })
  const parsed = logs.map((log: Log) => accountConfig.parseLog(log))
  events = parsed.filter((event) => event !== null)
})
afterAll(() => config.close())

test('the state rebuilt from events alone equals what the contract answers', async () => {
  const state = emptyState()
  for (const event of events) apply(state, event)
  expect([...state.accounts.keys()]).toEqual(hashes)
  for (const hash of hashes) {
    expect(state.accounts.get(hash)).toEqual(fromView(await config.read('accountOf', hash)))
  }
  expect(state.payers).toEqual(new Set(await config.read('apiPayers')))
  for (const [key, value] of state.settings) {
    expect(await config.read('nodeConfiguration', key)).toBe(value)
  }
})

test('events applied twice, from any point on, leave the same state', () => {
  const once = emptyState()
  for (const event of events) apply(once, event)
  for (let from = 0; from < events.length; from++) {
    const twice = emptyState()
    for (const event of [...events, ...events.slice(from)]) apply(twice, event)
    expect(twice).toEqual(once)
  }
})

const count = (name: string) => events.filter((event) => event.name === name).length

test('every write emits one event for each thing that it changes', () => {
  expect(count('AccountCreated')).toBe(2)
  expect(count('WalletRegistered')).toBe(3)
  expect(count('GroupSet')).toBe(3)
  expect(count('UsageApiKeySet')).toBe(3)
  expect(count('ApiPayerSet')).toBe(4)
  expect(count('NodeConfigurationSet')).toBe(3)
})
