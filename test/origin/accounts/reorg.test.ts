import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ContractUnavailableError } from '../../../origin/accounts/chain.ts'
import type { AccountsMirror } from '../../../origin/accounts/mirror.ts'
import { policyAt } from '../../../origin/accounts/wallet-policy.ts'
import { MIRROR_STALE_MS } from '../../../shared/limits.ts'
import { type Mirrored, newHash, startMirrored } from './mirrored.ts'

let world: Mirrored
beforeAll(async () => {
  world = await startMirrored()
})
afterAll(() => world.close())
afterEach(() => world.closeMirrors())

const has = (mirror: AccountsMirror, hash: string) => mirror.current().account(hash) !== undefined
/** Syncs a mirror to the head of the chain, on whichever branch that is. */
const toHead = async (mirror: AccountsMirror) => {
  const head = (await world.chain.provider.getBlock('latest'))!
  await mirror.syncTo(head.number, head.hash!)
}
/** With interval mining, blocks would land on one branch or the other by chance. */
beforeAll(() => world.send('evm_setAutomine', [true]))

describe('a reorg', () => {
  for (const depth of [1, 2, 7, 40]) {
    it(`of ${depth} blocks: drops the lost accounts, and keeps earlier ones and replacements`, async () => {
      const { mirror } = await world.mirror()
      const before = await world.newAccount()
      const lost: string[] = []
      for (let n = 0; n < depth; n++) lost.push(await world.newAccount())
      await toHead(mirror)
      expect([before, ...lost].every((hash) => has(mirror, hash))).toBe(true)

      await world.send('anvil_reorg', [depth, []])
      const instead = await world.newAccount()
      await toHead(mirror)
      expect(lost.filter((hash) => has(mirror, hash))).toEqual([])
      expect([has(mirror, before), has(mirror, instead)]).toEqual([true, true])
      const fresh = (await world.mirror()).mirror
      expect(mirror.current().size).toBe(fresh.current().size)
    })
  }

  it('restores what a lost block had changed', async () => {
    const { mirror } = await world.mirror()
    const hash = await world.newAccount()
    await world.write('addGroup', hash, 'first', '', [], [])
    await world.write('updateGroup', hash, 1, 1, {
      name: 'second',
      description: '',
      pkpIds: [],
      cidHashes: [],
    })
    await world.write('addGroup', hash, 'other', '', [], [])
    await toHead(mirror)
    const names = () => [...mirror.current().account(hash)!.groups.values()].map(({ name }) => name)
    expect(names()).toEqual(['second', 'other'])
    await world.send('anvil_reorg', [2, []])
    await toHead(mirror)
    expect(names()).toEqual(['first'])
  })

  it('policy loosened in a lost block: restores the policy and the time of the chain', async () => {
    const { mirror } = await world.mirror()
    const hash = await world.newAccount()
    const [pkpId, first, second] = [
      `0x${'0'.repeat(24)}${newHash().slice(26)}`,
      newHash(),
      newHash(),
    ]
    const termsOf = (policyHash: string, changeDelay = 0) => ({
      policyHash,
      changeDelay,
      isImmutable: false,
    })
    const wallet = [hash, pkpId, newHash(), 'w', '']
    await world.write('registerPolicyWallet', ...wallet, termsOf(first, 1_000), '0x')
    await toHead(mirror)
    const recorded = () => mirror.current().account(hash)!.wallets.get(pkpId)!.policy!
    const before = recorded()
    expect(before).toMatchObject({ hash: first, changeDelay: 1_000 })
    await world.write('setWalletPolicy', hash, pkpId, first, termsOf(second), false, '0x')
    await world.send('evm_increaseTime', [1_000])
    await world.send('anvil_mine', ['0x1'])
    await toHead(mirror)
    expect(policyAt(recorded(), mirror.current().chainTime).hash).toBe(second)

    await world.send('anvil_reorg', [2, []])
    await toHead(mirror)
    const head = (await world.chain.provider.getBlock('latest'))!
    expect(recorded()).toEqual(before)
    expect(mirror.current().chainTime).toBe(head.timestamp)
  })

  it('to a branch of equal height is followed', async () => {
    const { mirror } = await world.mirror()
    const lost = await world.newAccount()
    await toHead(mirror)
    await world.send('anvil_reorg', [1, []])
    await toHead(mirror)
    expect(has(mirror, lost)).toBe(false)
  })

  it('to a lower head keeps the state, which becomes stale', async () => {
    const { mirror, clock } = await world.mirror({ pollMs: 20 })
    const snapshot = await world.send('evm_snapshot', [])
    const lost = await world.newAccount()
    await world.newAccount()
    await toHead(mirror)
    await world.send('evm_revert', [snapshot])
    await sleep(100)
    expect(has(mirror, lost)).toBe(true)
    clock.aheadMs = MIRROR_STALE_MS - 50
    await sleep(100)
    expect(() => mirror.current()).toThrow(ContractUnavailableError)
  })

  it('deeper than the undo history causes a read from the contract’s first block', async () => {
    const { mirror, failures } = await world.mirror()
    const before = await world.newAccount()
    const lost = await world.newAccount()
    await world.send('anvil_mine', ['0x50'])
    await toHead(mirror)
    await world.send('anvil_reorg', [81, []])
    const instead = await world.newAccount()
    await toHead(mirror)
    expect([before, lost, instead].map((hash) => has(mirror, hash))).toEqual([true, false, true])
    expect(failures.map(String)).toEqual([expect.stringMatching('DeepReorgError')])
  })
})

describe('a killed chain', () => {
  it('that lost its last blocks is followed again within a few blocks', async () => {
    const { mirror } = await world.mirror({ pollMs: 20 })
    const snapshot = await world.send('evm_snapshot', [])
    const lost = [await world.newAccount(), await world.newAccount(), await world.newAccount()]
    await toHead(mirror)
    await world.send('evm_revert', [snapshot])
    const instead = [newHash(), newHash(), newHash()]
    for (const hash of instead)
      await world.write('newAccount', hash, `0x${hash.slice(26)}`, 'name', '')
    await expect.poll(() => instead.every((hash) => has(mirror, hash))).toBe(true)
    expect(lost.filter((hash) => has(mirror, hash))).toEqual([])
  })

  it('confirms a write only once the mirror is on the write’s branch', async () => {
    const { mirror } = await world.mirror()
    const snapshot = await world.send('evm_snapshot', [])
    for (let n = 0; n < 3; n++) await world.newAccount()
    await toHead(mirror)
    await world.send('evm_revert', [snapshot])
    const hash = newHash()
    const mined = await world.write('newAccount', hash, `0x${hash.slice(26)}`, 'name', '')
    const answered = mirror.syncTo(mined.blockNumber, mined.blockHash)
    // The mirror holds another block at that height. Without the hash, it would have returned at once.
    await mirror.syncTo(mined.blockNumber)
    expect(has(mirror, hash)).toBe(false)
    await world.newAccount()
    await world.newAccount()
    await answered
    expect(has(mirror, hash)).toBe(true)
  })
})
