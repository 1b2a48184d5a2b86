import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { encodeAccount, StoredAccount } from '../../../origin/accounts/mirror/account-codec.ts'
import { wasTransferred } from '../../../origin/accounts/ownership-mode.ts'
import type { SnapshotScheduler } from '../../../origin/accounts/mirror/snapshot-scheduler.ts'
import { type JsonRpcProxy, startJsonRpcProxy } from '../../doubles/json-rpc-proxy.ts'
import { everythingIn } from './generated-events.ts'
import { grants, type Mirrored, newAddress, newHash, startMirrored, WALLETS } from './mirrored.ts'

let world: Mirrored
let proxy: JsonRpcProxy
const written = { account: '', usage: '', removed: '' }
beforeAll(async () => {
  world = await startMirrored()
  proxy = await startJsonRpcProxy(world.rpcUrl)
  await world.send('evm_setAutomine', [true])
  written.account = await world.newAccount('Ünïcode 🗝')
  written.usage = newHash()
  written.removed = newHash()
  const { account, usage, removed } = written
  await world.write('registerWalletDerivation', account, padded(WALLETS[3]), newHash(), 'w', 'd')
  const policy = { policyHash: newHash(), changeDelay: 60, isImmutable: false }
  const wallet = [padded(WALLETS[2]), newHash(), 'with policy', '']
  await world.write('registerPolicyWallet', account, ...wallet, policy, '0x')
  const next = { policyHash: newHash(), changeDelay: 0, isImmutable: true }
  const change = [padded(WALLETS[2]), policy.policyHash, next, false, '0x']
  await world.write('setWalletPolicy', account, ...change)
  await world.write('addGroup', account, 'g', '', [padded(WALLETS[3])], [0, newHash()])
  await world.write('addAction', account, 'QmcRD4wkPPi6dig81r5sLj9Zm1gDCL4zgpEj9CfuRrGbzF', 'a', '')
  await world.write('setUsageApiKey', account, usage, grants({ executeInGroups: [1] }))
  await world.write('setUsageApiKey', account, removed, grants({ executeInGroups: [0] }))
  await world.write('removeUsageApiKey', account, removed)
  await world.write('rotateAccountApiKey', account, newHash())
  await world.writeAs(WALLETS[2], 'newChainSecuredAccount', 'chain-secured', '')
  await world.send('anvil_mine', ['0x5'])
})
afterAll(async () => {
  await world.close()
  await proxy.close()
})
afterEach(() => world.closeMirrors())

let name = ''
beforeEach(({ task }) => {
  name = `${task.id}.snapshot`
})
const padded = (address: string) => `0x${'0'.repeat(24)}${address.slice(2).toLowerCase()}`
/** Runs a mirror that stores its state, and returns its contents when closed. */
const keep = async () => {
  const { keeper } = world.snapshots(name)
  const { mirror } = await world.mirror({ snapshots: keeper })
  const everything = everythingIn(mirror.current())
  await mirror.close()
  return everything
}
/** Starts a mirror from the file, and records which methods it calls on the chain. */
const start = async (keeper: SnapshotScheduler) => {
  const chain = await world.through(proxy.url)
  const before = proxy.seen().methods.length
  const started = await world.mirror({ snapshots: keeper, chain })
  chain.provider.destroy()
  return { ...started, asked: proxy.seen().methods.slice(before) }
}

describe('a snapshot', () => {
  it('restores the same state at the next start, without reading logs again', async () => {
    const everything = await keep()
    const { keeper, unusable } = world.snapshots(name)
    const { mirror, asked } = await start(keeper)
    expect(everythingIn(mirror.current())).toEqual(everything)
    expect(unusable).toEqual([])
    expect(asked).not.toContain('eth_getLogs')
  })

  it('former owner: preserves that an account was transferred', async () => {
    const [kept, handedOn] = [await world.newAccount(), await world.newAccount()]
    await world.write('convertToChainSecuredAccount', kept, WALLETS[3], newHash())
    await world.write('convertToChainSecuredAccount', handedOn, WALLETS[1], newHash())
    const transfer = 'transferChainSecuredAccountOwnership'
    await world.writeAs(WALLETS[1], transfer, handedOn, newAddress())
    await world.send('anvil_mine', ['0x5'])
    await keep()
    const { mirror, asked } = await start(world.snapshots(name).keeper)
    expect(asked).not.toContain('eth_getLogs')
    const read = (await world.mirror()).mirror
    for (const state of [mirror.current(), read.current()])
      expect([kept, handedOn].map((hash) => wasTransferred(state.account(hash)!))).toEqual([
        false,
        true,
      ])
  })

  it('is updated at startup with later writes and revocations', async () => {
    const usage = newHash()
    const own = await world.newAccount()
    await world.write('setUsageApiKey', own, usage, grants({ executeInGroups: [0] }))
    await world.send('anvil_mine', ['0x5'])
    await keep()
    await world.write('removeUsageApiKey', own, usage)
    const later = await world.newAccount()
    const { mirror } = await start(world.snapshots(name).keeper)
    expect(mirror.current().account(later)).toBeDefined()
    expect(mirror.current().principal(usage)).toBeUndefined()
    expect(everythingIn(mirror.current())).toEqual(
      everythingIn((await world.mirror()).mirror.current()),
    )
  })

  it('is taken at a final block, so that it remains usable after a reorg above it', async () => {
    await world.send('anvil_mine', ['0x5'])
    const { keeper } = world.snapshots(name)
    const { mirror } = await world.mirror({ snapshots: keeper })
    const lost = await world.newAccount()
    await mirror.syncTo(await world.tip())
    await mirror.close()
    await world.send('anvil_reorg', [1, []])
    const found = await world.snapshots(name).file.read()
    expect(found!.block.number).toBe((await world.tip()) - 2)
    expect(found!.state.account(lost)).toBeUndefined()
    const { mirror: next } = await start(world.snapshots(name).keeper)
    expect(next.current().account(lost)).toBeUndefined()
  })

  it('is ignored if its block is no longer on the chain', async () => {
    await keep()
    const lost = await world.newAccount()
    await world.send('anvil_mine', ['0x4'])
    await keep()
    expect((await world.snapshots(name).file.read())!.state.account(lost)).toBeDefined()
    await world.send('anvil_reorg', [5, []])
    const { mirror, asked } = await start(world.snapshots(name).keeper)
    expect(mirror.current().account(lost)).toBeUndefined()
    expect(mirror.current().account(written.account)).toBeDefined()
    expect(asked).toContain('eth_getLogs')
  })

  it('is not written again while nothing changes', async () => {
    await keep()
    const { keeper, file } = world.snapshots(name)
    const before = (await file.read())!.block
    const { mirror } = await world.mirror({ snapshots: keeper })
    await world.send('anvil_mine', ['0x4'])
    await mirror.syncTo(await world.tip())
    await mirror.close()
    expect((await file.read())!.block).toEqual(before)
  })
})

describe('an unusable file', () => {
  const cases: Record<string, (bytes: Buffer) => Buffer> = {
    empty: () => Buffer.alloc(0),
    'cut in its head': (bytes) => bytes.subarray(0, 20),
    'cut in its accounts': (bytes) => bytes.subarray(0, bytes.length - 40),
    'cut in its MAC': (bytes) => bytes.subarray(0, bytes.length - 1),
    'damaged by one bit': (bytes) => {
      bytes[bytes.length >> 1]! ^= 1
      return bytes
    },
    'of an older format': (bytes) => {
      bytes.write('svc-mirror-0\n')
      return bytes
    },
    'longer than it was': (bytes) => Buffer.concat([bytes, Buffer.alloc(8)]),
  }
  for (const [what, spoil] of Object.entries(cases)) {
    it(`${what}: is logged, and the chain is read instead`, async () => {
      const everything = await keep()
      writeFileSync(world.path(name), spoil(readFileSync(world.path(name))))
      const { keeper, unusable } = world.snapshots(name)
      const { mirror } = await start(keeper)
      expect(unusable).toHaveLength(1)
      expect(everythingIn(mirror.current())).toEqual(everything)
    })
  }

  it('of another contract is ignored', async () => {
    await keep()
    const other = { ...world.chain, contractAddress: `0x${'12'.repeat(20)}` }
    const { file, unusable } = world.snapshots(name, { chain: other })
    expect(await file.read()).toBeUndefined()
    expect(unusable).toEqual(['belongs to another chain or contract'])
  })

  it('forged: grants nothing to an attacker with write access to the folder', async () => {
    const { mirror } = await world.mirror()
    const thief = newHash()
    const state = mirror.current()
    const { block } = mirror
    const hash = (await world.chain.provider.getBlock(block))!.hash!
    const account = state.account(written.account)!
    const key = { ...account.usageKeys.get(written.usage)!, hash: thief }
    const usageKeys = new Map([...account.usageKeys, [thief, { ...key }]])
    const bytes = encodeAccount({ ...account, usageKeys })
    const forged = new Map(state.accountsBefore([]).entries()).set(
      account.hash,
      new StoredAccount(bytes),
    )
    const { file } = world.snapshots(name, { key: new Uint8Array(32).fill(8) })
    await file.write({ number: block, hash }, forged)

    const { keeper, unusable } = world.snapshots(name)
    const { mirror: started } = await start(keeper)
    expect(unusable).toEqual(['truncated, corrupted, or written by another deployment'])
    expect(started.current().principal(thief)).toBeUndefined()
    expect(started.current().principal(written.usage)).toBeDefined()
  })

  it('at an unwritable path is only logged', async () => {
    const { keeper, failures } = world.snapshots('../no\0folder/x')
    const { mirror } = await world.mirror({ snapshots: keeper })
    await mirror.close()
    expect(failures).toHaveLength(1)
  })
})
