import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ContractUnavailableError, connectChain } from '../../../origin/accounts/chain.ts'
import { MIRROR_STALE_MS } from '../../../shared/limits.ts'
import { grants, type Mirrored, newHash, startMirrored, WALLETS } from './mirrored.ts'

let world: Mirrored
beforeAll(async () => {
  world = await startMirrored()
})
afterAll(() => world.close())
afterEach(() => world.closeMirrors())

describe('the mirror', () => {
  it('holds all earlier writes after startup', async () => {
    const hash = await world.newAccount()
    const usage = newHash()
    await world.write('addGroup', hash, 'group', 'text', [], [0])
    await world.write(
      'setUsageApiKey',
      hash,
      usage,
      grants({ canCreatePkps: true, executeInGroups: [1] }),
    )

    const state = (await world.mirror()).mirror.current()
    expect(state.account(hash)).toMatchObject({ hash, managed: true, name: 'name' })
    expect(state.account(hash)?.groups.get(1)?.name).toBe('group')
    expect(state.principal(hash)).toMatchObject({ keyHash: hash })
    expect(state.principal(usage)).toMatchObject({
      account: { hash },
      usageKey: { canCreatePkps: true, executeInGroups: new Set([1]) },
    })
    expect(state.principal(newHash())).toBeUndefined()
  })

  it('holds a write once it has synced to the write’s block', async () => {
    const { mirror } = await world.mirror()
    for (let n = 0; n < 5; n++) {
      const hash = newHash()
      const receipt = await world.write('newAccount', hash, WALLETS[1], 'name', '')
      await mirror.syncTo(receipt.blockNumber, receipt.blockHash)
      expect(mirror.current().account(hash)).toBeDefined()
    }
  })

  it('has the time of its head block, also after a start from a snapshot', async () => {
    const { keeper } = world.snapshots('chain-time')
    const { mirror } = await world.mirror({ snapshots: keeper })
    const timeOf = async (block: number) => (await world.chain.provider.getBlock(block))!.timestamp
    expect(mirror.current().chainTime).toBe(await timeOf(mirror.block))
    const { blockNumber } = await world.write('newAccount', newHash(), WALLETS[1], 'name', '')
    await mirror.syncTo(blockNumber)
    expect(mirror.current().chainTime).toBe(await timeOf(mirror.block))
    await mirror.close()
    const resumed = (await world.mirror({ snapshots: keeper })).mirror
    expect(resumed.current().chainTime).toBe(await timeOf(resumed.block))
  })

  it('picks up writes of others by polling', async () => {
    const { mirror } = await world.mirror({ pollMs: 20 })
    const hash = await world.newAccount()
    await expect.poll(() => mirror.current().account(hash)?.name).toBe('name')
  })

  it('sees a direct write to the contract within a block and a second', async () => {
    const { mirror } = await world.mirror({ pollMs: 1_000 })
    const { hash: transaction } = await world.writeAs(WALLETS[2], 'newChainSecuredAccount', 'n', '')
    const began = performance.now()
    const accountHash = (await world.chain.provider.getTransactionReceipt(transaction))!.logs[0]!
      .topics[1]!
    await expect
      .poll(() => mirror.current().account(accountHash), { interval: 10, timeout: 3_000 })
      .toMatchObject({ managed: false, adminWallet: WALLETS[2] })
    // One second between polls, and 0.2 s for the poll itself on a busy machine.
    expect(performance.now() - began).toBeLessThan(1_200)
  })

  it('fails if the chain has not responded for too long, and recovers', async () => {
    const { mirror, clock } = await world.mirror()
    clock.aheadMs = MIRROR_STALE_MS - 1_000
    expect(mirror.current().size).toBeGreaterThanOrEqual(0)
    clock.aheadMs = MIRROR_STALE_MS + 1_000
    expect(() => mirror.current()).toThrow(ContractUnavailableError)
    await world.send('anvil_mine', ['0x1'])
    await mirror.syncTo(await world.tip())
    expect(() => mirror.current()).not.toThrow()
  })

  it('counts its age from before the request, so that a slow response is not fresh', async () => {
    const { mirror, clock } = await world.mirror()
    await world.send('anvil_mine', ['0x1'])
    const target = await world.tip()
    const syncing = mirror.syncTo(target)
    clock.aheadMs = MIRROR_STALE_MS + 1_000
    await syncing
    expect(() => mirror.current()).toThrow(ContractUnavailableError)
  })

  it('does not start if the chain is unreachable', async () => {
    const nowhere = connectChain(['http://127.0.0.1:1'], { address: '', block: 0 })
    await expect(nowhere).rejects.toBeInstanceOf(ContractUnavailableError)
  })

  it('does not start on a chain without the contract', async () => {
    const chain = { ...world.chain, contractAddress: `0x${'12'.repeat(20)}` }
    const { mirror } = await world.mirror({ chain, start: false })
    await expect(mirror.start()).rejects.toBeInstanceOf(ContractUnavailableError)
    expect(() => mirror.current()).toThrow(ContractUnavailableError)
  })
})
