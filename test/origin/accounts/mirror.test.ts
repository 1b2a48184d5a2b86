import { randomBytes } from 'node:crypto'
import { id } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiKeyHash } from '../../../origin/accounts/api-key.ts'
import { ChainUnavailable, connectChain } from '../../../origin/accounts/chain.ts'
import { AccountsMirror } from '../../../origin/accounts/mirror.ts'
import { AccountsWriter, ContractRefused } from '../../../origin/accounts/writer.ts'
import { addressOf, Keyring } from '../../../origin/keys/keyring.ts'
import { MIRROR_STALE_MS } from '../../../shared/limits.ts'
import { type ContractOnChain, startContract } from './contract.ts'

const payerKey = new Keyring(randomBytes(32)).payerKey(0)
let contract: ContractOnChain
beforeAll(async () => {
  contract = await startContract(addressOf(payerKey))
})
afterAll(() => contract.close())

const opened: AccountsMirror[] = []
afterAll(() => opened.forEach((mirror) => mirror.close()))

/** A mirror with a clock of its own; by default it looks at the chain only when it is asked to. */
async function startMirror(pollMs = 1_000_000) {
  const clock = { aheadMs: 0 }
  const failures: unknown[] = []
  const mirror = new AccountsMirror({
    chain: contract.chain,
    pollMs,
    now: () => Date.now() + clock.aheadMs,
    onFailure: (error) => failures.push(error),
  })
  opened.push(mirror)
  await mirror.start()
  return { mirror, clock, failures, writer: new AccountsWriter(contract.chain, mirror, payerKey) }
}

let count = 0
const newHash = () => id(`account ${++count}`)
const open = (writer: AccountsWriter, hash: string) =>
  writer.write('newAccount', [hash, `0x${hash.slice(26)}`, 'name', ''])
const tip = () => contract.chain.provider.getBlockNumber()

describe('the mirror', () => {
  it('holds after a start what was written before it', async () => {
    const { writer } = await startMirror()
    const hash = newHash()
    await open(writer, hash)
    await writer.write('addGroup', [hash, 'group', 'text', [], [0]])
    const key = { name: 'k', description: '', canCreateGroups: false, canDeleteGroups: false }
    const arrays = { manageIpfsIdsInGroups: [], addPkpToGroups: [], removePkpFromGroups: [] }
    const grants = { ...key, canCreatePkps: true, ...arrays, executeInGroups: [1] }
    await writer.write('setUsageApiKey', [hash, apiKeyHash('usage'), grants])

    const state = (await startMirror()).mirror.current()
    expect(state.account(hash)).toMatchObject({ hash, managed: true, name: 'name' })
    expect(state.account(hash)?.groups.get(1)?.name).toBe('group')
    expect(state.principal(hash)).toMatchObject({ keyHash: hash })
    expect(state.principal(apiKeyHash('usage'))).toMatchObject({
      account: { hash },
      usageKey: { canCreatePkps: true, executeInGroups: new Set([1]) },
    })
    expect(state.principal(apiKeyHash('another'))).toBeUndefined()
  })

  it('follows writes of others by itself', async () => {
    const { mirror } = await startMirror(20)
    const { writer } = await startMirror()
    const hash = newHash()
    await open(writer, hash)
    await expect.poll(() => mirror.current().account(hash)?.name).toBe('name')
  })

  it('forgets what a reorganisation took away, and holds what came instead', async () => {
    const { mirror, writer } = await startMirror()
    const [kept, lost, instead] = [newHash(), newHash(), newHash()]
    await open(writer, kept)
    const before = await tip()
    await open(writer, lost)
    expect(mirror.current().account(lost)).toBeDefined()
    await contract.send('anvil_reorg', [(await tip()) - before, []])
    expect(await contract.chain.provider.getBlockNumber()).toBeGreaterThanOrEqual(before)
    const again = new AccountsWriter(contract.chain, mirror, payerKey)
    await open(again, instead)
    const state = mirror.current()
    const has = (hash: string) => state.account(hash) !== undefined
    expect([has(kept), has(lost), has(instead)]).toEqual([true, false, true])
  })

  it('fails when the chain was not heard from for too long, and recovers', async () => {
    const { mirror, clock } = await startMirror()
    clock.aheadMs = MIRROR_STALE_MS - 1_000
    expect(mirror.current().size).toBeGreaterThanOrEqual(0)
    clock.aheadMs = MIRROR_STALE_MS + 1_000
    expect(() => mirror.current()).toThrow(ChainUnavailable)
    await contract.send('anvil_mine', ['0x1'])
    await mirror.syncTo(await tip())
    expect(() => mirror.current()).not.toThrow()
  })

  it('counts its age from before it asked, so that a slow answer is not a fresh one', async () => {
    const { mirror, clock } = await startMirror()
    await contract.send('anvil_mine', ['0x1'])
    const target = await tip()
    const syncing = mirror.syncTo(target)
    clock.aheadMs = MIRROR_STALE_MS + 1_000
    await syncing
    expect(() => mirror.current()).toThrow(ChainUnavailable)
  })

  it('swapped chain: one that ends before the contract never passes for fresh', async () => {
    const { mirror, clock, failures } = await startMirror(20)
    const { provider } = contract.chain
    const real = provider.getBlock.bind(provider)
    provider.getBlock = async (tag) => (tag === 'latest' ? real(0) : null)
    try {
      clock.aheadMs = MIRROR_STALE_MS + 1_000
      await expect.poll(() => failures.length).toBeGreaterThan(1)
      expect(() => mirror.current()).toThrow(ChainUnavailable)
    } finally {
      provider.getBlock = real
    }
    await expect.poll(() => failures.length > 0 && mirror.current() !== undefined).toBe(true)
  })

  it('does not start on a chain that is not there', async () => {
    const nowhere = connectChain('http://127.0.0.1:1', { address: '', block: 0 })
    await expect(nowhere).rejects.toBeInstanceOf(ChainUnavailable)
  })
})

describe('a write', () => {
  it('is seen by the mirror when it answers', async () => {
    const { mirror, writer } = await startMirror()
    for (let n = 0; n < 5; n++) {
      const hash = newHash()
      await open(writer, hash)
      expect(mirror.current().account(hash)).toBeDefined()
    }
  })

  it('lands with nineteen others at the same time', async () => {
    const { mirror, writer } = await startMirror()
    const hashes = Array.from({ length: 20 }, newHash)
    await Promise.all(hashes.map((hash) => open(writer, hash)))
    for (const hash of hashes) expect(mirror.current().account(hash)).toBeDefined()
  })

  it('that the contract refuses names its error, and holds up no other', async () => {
    const { mirror, writer } = await startMirror()
    const [hash, next] = [newHash(), newHash()]
    await open(writer, hash)
    const results = await Promise.allSettled([
      open(writer, hash),
      writer.write('addGroup', [id('nobody'), 'g', '', [], []]),
      open(writer, next),
    ])
    const names = results.map((one) => (one.status === 'rejected' ? one.reason.errorName : 'done'))
    expect(names).toEqual(['AccountAlreadyExists', 'AccountDoesNotExist', 'done'])
    expect(mirror.current().account(next)).toBeDefined()
    await expect(open(writer, hash)).rejects.toBeInstanceOf(ContractRefused)
  })

  it('of another process, paid for by the same wallet, is in nobody’s way', async () => {
    const [first, second] = [await startMirror(), await startMirror()]
    const hashes = Array.from({ length: 20 }, newHash)
    await Promise.all(hashes.map((hash, n) => open((n % 2 ? first : second).writer, hash)))
    const { mirror } = await startMirror()
    for (const hash of hashes) expect(mirror.current().account(hash)).toBeDefined()
  })
})
