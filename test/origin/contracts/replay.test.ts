import { id } from 'ethers'
import type { Log, LogDescription } from 'ethers'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  accountConfig,
  addressOf,
  cidHashOf,
  cidOf,
  EVERY_WALLET,
  hashOf,
  pkpIdOf,
  startAccountConfig,
  usageKey,
} from './account-config.ts'
import type { AccountConfig } from './account-config.ts'
import { emptyState, fromView, replay } from './replay.ts'

let config: AccountConfig
beforeAll(async () => {
  config = await startAccountConfig({ chain_name: 'local', token: 'ETH' })
})
afterAll(() => config.close())

const parse = (log: Log): LogDescription => {
  const event = accountConfig.parseLog(log)
  if (!event) throw new Error(`a log that the ABI does not know: ${log.topics[0]}`)
  return event
}

type Write = readonly [string, ...unknown[]]

/** Hashes that differ between runs, so that a run does not see the state of an earlier one. */
class HashOf {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON() {
    return this.text
  }
}
const inRun = (run: string, [name, ...args]: Write): Write => [
  name,
  ...args.map((value) => (value instanceof HashOf ? hashOf(`${run}${value.text}`) : value)),
]

const bit = fc.boolean()
const groupId = fc.bigInt(0n, 3n)
const groupIds = fc.array(fc.bigInt(0n, 2n), { maxLength: 3 })
const wallet = fc.constantFrom('w0', 'w1', 'w2').map(pkpIdOf)
const member = fc.oneof({ arbitrary: wallet, weight: 4 }, fc.constant(EVERY_WALLET))
const members = fc.array(member, { maxLength: 3 })
const cid = fc.constantFrom('a0', 'a1', 'a2').map(cidOf)
const cidHash = fc.oneof({ arbitrary: cid.map(cidHashOf), weight: 4 }, fc.constant(0n))
const cidHashes = fc.array(cidHash, { maxLength: 3 })
const text = fc.constantFrom('', 'x', 'Ünïcödé 🔑', 'n'.repeat(40))
const fields = fc.bigInt(0n, 1023n)
const permissions = fc
  .record({
    name: text,
    description: text,
    canCreateGroups: bit,
    canDeleteGroups: bit,
    canCreatePkps: bit,
    manageIpfsIdsInGroups: groupIds,
    addPkpToGroups: groupIds,
    removePkpFromGroups: groupIds,
    executeInGroups: groupIds,
  })
  .map(usageKey)

/** Generates writes of one of two accounts with any of their credentials. Many are rejected and must change nothing. */
function anyWrite(): fc.Arbitrary<Write> {
  const account = fc.constantFrom('/0', '/1')
  const keyOf = (...keys: string[]) =>
    fc.tuple(account, fc.constantFrom(...keys)).map(([of, key]) => new HashOf(`${of}${key}`))
  const usage = keyOf('/u0', '/u1')
  const next = keyOf('/k1', '/k2')
  const own = fc.oneof({ arbitrary: keyOf(''), weight: 4 }, next)
  const credential = fc.oneof({ arbitrary: own, weight: 3 }, usage)
  const admin = fc.nat().map((number) => addressOf(`admin ${number}`))
  const proof = fc.nat().map((number) => id(`proof ${number}`))
  const input = fc.record({ name: text, description: text, pkpIds: members, cidHashes })
  const of = <T extends readonly unknown[]>(
    name: string,
    weight: number,
    ...args: { [K in keyof T]: fc.Arbitrary<T[K]> }
  ) => ({
    arbitrary: fc.tuple(fc.constant(name), ...args) as unknown as fc.Arbitrary<Write>,
    weight,
  })
  return fc.oneof(
    of('registerWalletDerivation', 40, credential, wallet, wallet, text, text),
    of('addGroup', 40, credential, text, text, members, cidHashes),
    of('updateGroup', 30, credential, groupId, fields, input),
    of('removeGroup', 10, credential, groupId),
    of('addPkpToGroup', 30, credential, groupId, member),
    of('removePkpFromGroup', 30, credential, groupId, member),
    of('addActionToGroup', 40, credential, groupId, cid, text, text),
    of('removeActionFromGroup', 30, credential, groupId, cidHash),
    of('setUsageApiKey', 40, own, usage, permissions),
    of('updateUsageApiKey', 30, own, usage, fields, permissions),
    of('removeUsageApiKey', 10, own, usage),
    of('addAction', 30, own, cid, text, text),
    of('updateActionMetadata', 20, own, cidHash, fields, text, text),
    of('deleteAction', 20, own, cidHash),
    of('rotateAccountApiKey', 6, own, next),
    of('convertToChainSecuredAccount', 2, own, admin, proof),
  )
}

test('after random writes, the state replayed from events equals the state that the contract returns', async () => {
  let runs = 0
  let sent = 0
  let succeeded = 0
  const writes = fc.array(anyWrite(), { minLength: 30, maxLength: 60 })
  await fc.assert(
    fc.asyncProperty(writes, async (list) => {
      const run = `run ${runs++}`
      const accounts = [hashOf(`${run}/0`), hashOf(`${run}/1`)]
      const setUp = accounts.flatMap((hash): Write[] => [
        ['newAccount', hash, addressOf(`${hash}`), '', ''],
        ['registerWalletDerivation', hash, pkpIdOf('w0'), pkpIdOf('p'), '', ''],
        ['registerWalletDerivation', hash, pkpIdOf('w1'), pkpIdOf('p'), '', ''],
        ['addGroup', hash, '', '', [], []],
        ['addGroup', hash, '', '', [], []],
      ])
      const receipts = await config.sendAll([...setUp, ...list.map((write) => inRun(run, write))])
      sent += list.length
      succeeded += receipts.slice(setUp.length).filter(({ status }) => status === 1).length
      const state = replay(receipts.flatMap(({ logs }) => logs.map(parse)))
      expect([...state.accounts.keys()]).toEqual(accounts)
      for (const hash of accounts)
        expect(state.accounts.get(hash)).toEqual(fromView(await config.read('accountOf', hash)))
    }),
    { numRuns: 20 },
  )
  // Guards against a generator whose writes are all rejected: it would prove nothing.
  expect(succeeded / sent).toBeGreaterThan(0.25)
})

test('events cover payers, settings and ownership, and replaying them twice changes nothing', async () => {
  const { owner, payer } = config
  const write = (name: string, ...args: unknown[]) => config.write(payer, name, ...args)
  const a = await config.newAccount('a')
  const own = hashOf('next key of a')
  await write('rotateAccountApiKey', a, own)
  await write('registerWalletDerivation', own, pkpIdOf('w1'), pkpIdOf('p'), 'one', '')
  for (const name of ['g1', 'g2']) await write('addGroup', own, name, '', [pkpIdOf('w1')], [0n])
  await write('addActionToGroup', own, 1n, cidOf('a'), 'a', '')
  await write('removePkpFromGroup', own, 1n, pkpIdOf('w1'))
  await write('addPkpToGroup', own, 1n, EVERY_WALLET)
  await write('setUsageApiKey', own, hashOf('k1'), usageKey({ executeInGroups: [1n, 2n] }))
  await write('setUsageApiKey', own, hashOf('k2'), usageKey())
  await write('removeUsageApiKey', own, hashOf('k1'))
  await write('removeGroup', own, 2n)
  await write('deleteAction', own, cidHashOf(cidOf('a')))
  const { admin, hash: b } = await config.newChainSecuredAccount()
  const [second, third] = [await config.freshWallet(), addressOf('third')]
  await config.write(admin, 'transferChainSecuredAccountOwnership', b, second.address)
  await config.write(second, 'transferChainSecuredAccountOwnership', b, third)
  await config.convert(own, addressOf('admin of a'))
  const payers = [config.wallet(7).address, config.wallet(8).address]
  await config.write(owner, 'setApiPayers', payers, true)
  await config.write(owner, 'setApiPayers', payers.slice(1), false)
  await config.write(owner, 'setNodeConfiguration', 'token', 'xDAI')

  const logs = await config.provider.getLogs({ address: config.address, fromBlock: config.block })
  // The diamond's own events are not in any facet's ABI.
  const events = logs.filter(({ topics }) => accountConfig.getEvent(topics[0] ?? '')).map(parse)
  const once = replay(events)
  for (const hash of [a, b])
    expect(once.accounts.get(hash)).toEqual(fromView(await config.read('accountOf', hash)))
  expect(once.payers).toEqual(new Set(await config.read('apiPayers')))
  for (const [key, value] of once.settings)
    expect(await config.read('nodeConfiguration', key)).toBe(value)
  for (let from = 0; from < events.length; from++) {
    expect(replay(events.slice(from), replay(events, emptyState()))).toEqual(once)
  }
})
