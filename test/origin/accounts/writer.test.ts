import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ContractRevertError } from '../../../origin/accounts/writer.ts'
import { chainWrites } from '../../../origin/db/schema.ts'
import { newHash, startWriting, type Writing } from './writing.ts'

let world: Writing
beforeAll(async () => {
  world = await startWriting()
})
afterEach(() => world.closeWriters())
afterAll(() => world.close())

describe('a write', () => {
  it('is in the mirror when it returns', async () => {
    const { mirror, newAccount } = await world.open()
    for (let n = 0; n < 5; n++) {
      const hash = newHash()
      const receipt = await newAccount(hash)
      expect(receipt.status).toBe(1)
      expect(mirror.current().account(hash)).toBeDefined()
    }
  })

  it('calls afterMined once it is in the mirror, and waits for it', async () => {
    const seen: { block: number; mirrored: boolean }[] = []
    const hash = newHash()
    const opened = await world.open({
      afterMined: async (block) => {
        seen.push({ block, mirrored: opened.mirror.current().account(hash) !== undefined })
      },
    })
    const { blockNumber } = await opened.newAccount(hash)
    expect(seen).toEqual([{ block: blockNumber, mirrored: true }])
  })

  it('that the contract rejects reports the error with its arguments, sends nothing and leaves no row', async () => {
    const { newAccount, addGroup } = await world.open()
    const [hash, next, nobody] = [newHash(), newHash(), newHash()]
    await newAccount(hash)
    const before = (await world.writes()).length
    const results = await Promise.allSettled([
      newAccount(hash),
      addGroup(nobody, 'g'),
      newAccount(next),
    ])
    const names = results.map((one) => (one.status === 'rejected' ? one.reason.errorName : 'done'))
    expect(names).toEqual(['AccountAlreadyExists', 'AccountDoesNotExist', 'done'])
    expect((await world.writes()).length).toBe(before + 1)
    const refused = await addGroup(nobody, 'g').catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ContractRevertError)
    expect((refused as ContractRevertError).args.map(BigInt)).toEqual([BigInt(nobody)])
  })

  it('of a policy is in the mirror when it returns, and names a refusal', async () => {
    const { writer, mirror, newAccount } = await world.open()
    const [account, path, first, second] = [newHash(), newHash(), newHash(), newHash()]
    const pkpId = `0x${'0'.repeat(24)}${newHash().slice(26)}`
    const terms = { policyHash: first, changeDelay: 60, isImmutable: false }
    await newAccount(account)
    await writer.write('registerPolicyWallet', [account, pkpId, path, 'w', '', terms, '0x'])
    const policy = () => mirror.current().account(account)!.wallets.get(pkpId)!.policy!
    expect(policy()).toMatchObject({ hash: first, changeDelay: 60, isImmutable: false })
    const set = (replaces: string, policyHash: string) =>
      writer.write('setWalletPolicy', [
        account,
        pkpId,
        replaces,
        { ...terms, policyHash },
        false,
        '0x',
      ])
    await set(first, second)
    const { setAt, pending } = policy()
    expect(pending).toMatchObject({ hash: second, effectiveAt: setAt + 60 })
    const refused: unknown = await set(second, first).catch((error: unknown) => error)
    expect(refused).toMatchObject({ errorName: 'PolicyChanged' })
    expect((refused as ContractRevertError).args.at(-1)).toBe(first)
  })

  it('that reverts in its block reports the error as well', async () => {
    const { newAccount } = await world.open()
    const hash = newHash()
    await world.standStill()
    try {
      const both = Promise.allSettled([newAccount(hash, 'r-1'), newAccount(hash, 'r-2')])
      const results = await world.mineUntil(both)
      const names = results.map((one) => (one.status === 'rejected' ? one.reason.errorName : 'ok'))
      expect(new Set(names)).toEqual(new Set(['AccountAlreadyExists', 'ok']))
    } finally {
      await world.goOn()
    }
  })

  it('succeeds a hundred times at once from one account', async () => {
    const { newAccount, addGroup, mirror } = await world.open({ payers: 4 })
    const hash = newHash()
    await newAccount(hash)
    const began = performance.now()
    const names = Array.from({ length: 100 }, (_, n) => `group ${n}`)
    await Promise.all(names.map((name) => addGroup(hash, name)))
    expect(performance.now() - began).toBeLessThan(15_000)
    expect(mirror.current().account(hash)?.groups.size).toBe(100)
  })

  it('succeeds at once from a hundred accounts', async () => {
    const { newAccount, mirror } = await world.open({ payers: 4 })
    const hashes = Array.from({ length: 100 }, newHash)
    const began = performance.now()
    await Promise.all(hashes.map((hash) => newAccount(hash)))
    expect(performance.now() - began).toBeLessThan(15_000)
    expect(hashes.filter((hash) => !mirror.current().account(hash))).toEqual([])
  })
})

describe('a write ID', () => {
  it('used twice at once creates one account, and both callers get its receipt', async () => {
    const { newAccount } = await world.open()
    const [hash, other] = [newHash(), newHash()]
    const [first, second] = await Promise.all([
      newAccount(hash, 'twice'),
      newAccount(other, 'twice'),
    ])
    expect(second.hash).toBe(first.hash)
    expect([await world.accounts(hash), await world.accounts(other)]).toEqual([1, 0])
  })

  it('used again after completion and after a restart returns the first receipt', async () => {
    const before = await world.open()
    const hash = newHash()
    const first = await before.newAccount(hash, 'again')
    expect((await before.newAccount(hash, 'again')).hash).toBe(first.hash)
    await before.close()
    const { newAccount } = await world.open()
    expect((await newAccount(hash, 'again')).hash).toBe(first.hash)
    expect(await world.accounts(hash)).toBe(1)
  })

  it('is resolved by its transactions if the process stopped before it stored the block', async () => {
    const before = await world.open()
    const hash = newHash()
    const first = await before.newAccount(hash, 'not written down')
    await before.close()
    const unknown = { state: 'final' as const, minedHash: null, minedBlock: null }
    await world.db
      .update(chainWrites)
      .set(unknown)
      .where(eq(chainWrites.writeId, 'not written down'))
    const { newAccount } = await world.open({ waitMs: 5_000 })
    expect((await newAccount(hash, 'not written down')).hash).toBe(first.hash)
  })

  it('can be reused after a rejection, which writes nothing', async () => {
    const { newAccount, addGroup } = await world.open()
    const hash = newHash()
    await expect(addGroup(hash, 'early', 'retried')).rejects.toBeInstanceOf(ContractRevertError)
    await newAccount(hash)
    await addGroup(hash, 'early', 'retried')
    expect(await world.groups('early')).toBe(1)
  })

  it('is final once its block is deep enough, and deleted a day later', async () => {
    const clock = { aheadMs: 0 }
    const { newAccount } = await world.open({ now: () => Date.now() + clock.aheadMs })
    await newAccount(newHash(), 'old')
    const state = async () => (await world.rows()).find(({ writeId }) => writeId === 'old')?.state
    await world.mine(3)
    await expect.poll(state, { timeout: 5_000 }).toBe('final')
    await world.closeWriters()
    clock.aheadMs = 24 * 60 * 60 * 1000 + 1_000
    await world.open({ now: () => Date.now() + clock.aheadMs })
    await expect.poll(state, { timeout: 5_000 }).toBeUndefined()
  })
})
