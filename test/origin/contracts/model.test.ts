import { ZeroHash, type Result } from 'ethers'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
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
import { openBatch, type Call } from './batch.ts'
import { AccountModel } from './model.ts'

let config: AccountConfig
let simulate: Awaited<ReturnType<typeof openBatch>>
beforeAll(async () => {
  config = await startAccountConfig()
  simulate = await openBatch(config)
})
afterAll(() => config.close())

const ACCOUNT = hashOf('account')
const WALLETS = ['w0', 'w1', 'w2', 'w3', 'w4'].map(pkpIdOf)
const CIDS = ['a0', 'a1', 'a2', 'a3', 'a4'].map(cidOf)
const KEYS = ['k0', 'k1', 'k2', 'k3'].map(hashOf)

const oneOf = <T>(values: readonly T[]) => fc.constantFrom(...values)
const wallet = oneOf(WALLETS)
const member = oneOf([...WALLETS, EVERY_WALLET])
const members = fc.array(member, { maxLength: 8 })
const cid = oneOf(CIDS)
const cidHash = oneOf([...CIDS.map(cidHashOf), 0n])
const cidHashes = fc.array(cidHash, { maxLength: 8 })
const key = oneOf(KEYS)
const groupId = fc.bigInt(0n, 5n)
const groupIds = fc.array(groupId, { maxLength: 9 })
const fields = fc.bigInt(0n, 511n)
/** Lengths around the ends of words, whatever the other fields of the record take of the first. */
const text = fc
  .tuple(fc.oneof({ arbitrary: fc.nat(70), weight: 20 }, fc.nat(300)), oneOf(['a', 'z']))
  .map(([length, letter]) => letter.repeat(length))
const permissions = fc
  .record({
    name: text,
    description: text,
    canCreateGroups: fc.boolean(),
    canDeleteGroups: fc.boolean(),
    canCreatePkps: fc.boolean(),
    manageIpfsIdsInGroups: groupIds,
    addPkpToGroups: groupIds,
    removePkpFromGroups: groupIds,
    executeInGroups: groupIds,
  })
  .map(usageKey)

const write = (weight: number, name: string, ...args: fc.Arbitrary<unknown>[]) => ({
  weight,
  arbitrary: fc.tuple(fc.constant(name), ...args) as fc.Arbitrary<Call>,
})
const anyWrite = fc.oneof(
  write(4, 'registerWalletDerivation', wallet, wallet, text, text),
  write(4, 'addGroup', text, text, members, cidHashes),
  write(
    4,
    'updateGroup',
    groupId,
    fields,
    fc.record({ name: text, description: text, pkpIds: members, cidHashes }),
  ),
  write(1, 'removeGroup', groupId),
  write(4, 'addPkpToGroup', groupId, member),
  write(4, 'removePkpFromGroup', groupId, member),
  write(4, 'addActionToGroup', groupId, cid, text, text),
  write(4, 'removeActionFromGroup', groupId, cidHash),
  write(4, 'setUsageApiKey', key, permissions),
  write(3, 'updateUsageApiKey', key, fields, permissions),
  write(3, 'removeUsageApiKey', key),
  write(2, 'addAction', cid, text, text),
  write(2, 'updateActionMetadata', cidHash, fields, text, text),
  write(3, 'deleteAction', cidHash),
)

const newAccount = (name: string, description: string): Call => [
  'newAccount',
  ACCOUNT,
  addressOf('account'),
  name,
  description,
]
const setUp: Call[] = [
  ...WALLETS.slice(0, 4).map((id): Call => [
    'registerWalletDerivation',
    id,
    pkpIdOf('p'),
    'wallet',
    '',
  ]),
  ['addGroup', 'first', '', WALLETS.slice(0, 3), [cidHashOf(CIDS[0]!)]],
  ['addGroup', 'second', '', [], []],
]
const questions = fc.array(
  fc.tuple(key, oneOf([...CIDS.map(cidHashOf), 7n]), oneOf([ZeroHash, ...WALLETS])),
  { minLength: 5, maxLength: 5 },
)

const sorted = <T>(values: readonly T[]) =>
  values.toSorted((a, b) => String(a).localeCompare(String(b)))

/** An account of the model in the form of `accountOf`, with arrays sorted, since their order is not promised. */
function expectedView(model: AccountModel, createdAt: bigint) {
  return {
    nextGroupId: model.nextGroupId,
    wallets: sorted(
      [...model.wallets].map(([id, w]) => [id, w.derivationPath, w.name, w.description]),
    ),
    groups: sorted(
      [...model.groups].map(([id, g]) => [
        id,
        g.name,
        g.description,
        sorted([...g.pkpIds]),
        sorted([...g.cidHashes]),
      ]),
    ),
    usageApiKeys: sorted(
      [...model.usageApiKeys].map(([hash, k]) => [hash, createdAt, Object.values(k)]),
    ),
    actions: sorted([...model.actions].map(([hash, a]) => [hash, a.cid, a.name, a.description])),
  }
}

function readView(view: Result) {
  const list = (name: string): any[] => view[name].toArray(true)
  return {
    nextGroupId: view.nextGroupId,
    wallets: sorted(list('wallets')),
    groups: sorted(
      list('groups').map(([id, name, description, pkpIds, hashes]) => [
        id,
        name,
        description,
        sorted(pkpIds),
        sorted(hashes),
      ]),
    ),
    usageApiKeys: sorted(list('usageApiKeys')),
    actions: sorted(list('actions')),
  }
}

test('after random writes, the contract returns what a model of it returns', async () => {
  let sent = 0
  let succeeded = 0
  const writes = fc.array(anyWrite, { minLength: 5, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(writes, text, text, questions, async (list, name, description, asked) => {
      const model = new AccountModel()
      const refusals = [...setUp, ...list].map((call) => model.apply(call))
      const calls: Call[] = [
        newAccount(name, description),
        ...[...setUp, ...list].map(([of, ...args]): Call => [of, ACCOUNT, ...args]),
        ['accountOf', ACCOUNT],
        ...asked.map((question): Call => ['mayExecute', ...question]),
      ]
      const [opened, ...outcomes] = await simulate(calls)
      expect(opened?.refusal).toBeUndefined()
      const written = outcomes.splice(0, refusals.length)
      expect(written.map(({ refusal }) => refusal?.[0])).toEqual(refusals)
      const view = outcomes.shift()!.result![0]
      expect([view.name, view.description]).toEqual([name, description])
      expect(readView(view)).toEqual(expectedView(model, view.createdAt))
      expect(outcomes.map(({ result }) => result![0])).toEqual(
        asked.map((question) => model.mayExecute(...question)),
      )
      sent += refusals.length
      succeeded += refusals.filter((refusal) => refusal === undefined).length
    }),
    { numRuns: 200 },
  )
  // Guards against a generator whose writes are all rejected: it would prove nothing.
  expect(succeeded / sent).toBeGreaterThan(0.5)
})

/** Members of a set by index: the first two are found by comparison, the others by position (IdSet.sol). */
const SIZES = [1, 2, 3, 4, 5]
const REMOVALS = SIZES.flatMap((size) => Array.from({ length: size }, (_, index) => [size, index]))

test('removes and adds again any member of sets of all small sizes', async () => {
  const hashes = [0n, ...CIDS.map(cidHashOf)]
  const calls = REMOVALS.flatMap(([size, index], n): Call[] => {
    const group = BigInt(n + 1)
    return [
      ['addGroup', ACCOUNT, '', '', [], hashes.slice(0, size)],
      ['removeActionFromGroup', ACCOUNT, group, hashes[index!]],
      ['groupOf', ACCOUNT, group],
      ['addActionToGroup', ACCOUNT, group, CIDS[4], '', ''],
      ['removeActionFromGroup', ACCOUNT, group, hashes[index!]],
      ['groupOf', ACCOUNT, group],
    ]
  })
  const outcomes = (await simulate([newAccount('', ''), ...calls])).slice(1)
  const read = outcomes.flatMap(({ result }, n) => (calls[n]![0] === 'groupOf' ? [result![0]] : []))
  expect(read.map(({ cidHashes: found }) => sorted(found.toArray()))).toEqual(
    REMOVALS.flatMap(([size, index]) => {
      const left = hashes.slice(0, size).filter((_, n) => n !== index)
      return [sorted(left), sorted([...left, cidHashOf(CIDS[4]!)])]
    }),
  )
})

const PAIRS = [0, 1, 2, 3].flatMap((a) => [0, 1, 2, 3].filter((b) => b !== a).map((b) => [a, b]))

test('removes any two of four usage keys and actions in any order, and adds others', async () => {
  const calls = PAIRS.flatMap((pair): Call[] => {
    const name = `pair ${pair.join()}`
    const account = hashOf(name)
    const keyOf = (index: number) => hashOf(`${name} key ${index}`)
    const add = (index: number): Call[] => [
      ['setUsageApiKey', account, keyOf(index), usageKey()],
      ['addAction', account, CIDS[index], '', ''],
    ]
    return [
      ['newAccount', account, addressOf(name), '', ''],
      ...[0, 1, 2, 3].flatMap(add),
      ...pair.flatMap((index): Call[] => [
        ['removeUsageApiKey', account, keyOf(index)],
        ['deleteAction', account, cidHashOf(CIDS[index]!)],
      ]),
      ...add(4),
      ['accountOf', account],
    ]
  })
  const outcomes = await simulate(calls)
  expect(outcomes.filter(({ refusal }) => refusal)).toEqual([])
  const accounts = outcomes.flatMap(({ result }, n) =>
    calls[n]![0] === 'accountOf' ? [result![0]] : [],
  )
  for (const [n, pair] of PAIRS.entries()) {
    const { actions, usageApiKeys } = accounts[n]!
    const left = [0, 1, 2, 3, 4].filter((index) => !pair.includes(index))
    expect(sorted(actions.map(({ cidHash: hash }: Result) => hash))).toEqual(
      sorted(left.map((index) => cidHashOf(CIDS[index]!))),
    )
    expect(sorted(usageApiKeys.map(({ apiKeyHash }: Result) => apiKeyHash))).toEqual(
      sorted(left.map((index) => hashOf(`pair ${pair.join()} key ${index}`))),
    )
  }
})
