/** Limits on the delay that one account can cause for others, and on its cost for the deployment. */
import { setTimeout as sleep } from 'node:timers/promises'
import { id, Transaction } from 'ethers'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { accountConfig, ContractUnavailableError } from '../../../origin/accounts/chain.ts'
import { gasLimitFor } from '../../../origin/accounts/writer/fees.ts'
import { WRITE_GAS_MAX } from '../../../shared/limits.ts'
import { newHash, startWriting, type Writing, type WriterUnderTest } from './writing.ts'

let world: Writing
beforeAll(async () => {
  world = await startWriting()
})
afterEach(async () => {
  await world.goOn()
  await world.closeWriters()
})
afterAll(() => world.close())

/** Counts an account's recorded transactions that are in no block; account creations count under 'newAccount'. */
async function underWay(credential: string): Promise<number> {
  const rows = (await world.writes()).filter(({ state }) => state === 'sent')
  return rows.filter(({ transactions }) => {
    const call = accountConfig.parseTransaction({ data: Transaction.from(transactions[0]).data })
    if (credential === 'newAccount') return call?.name === credential
    return call?.name !== 'newAccount' && call?.args[0] === BigInt(credential)
  }).length
}

/** Returns the result of each write: `ok`, the contract's error, or the message of another error. */
const endings = async (writes: Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(writes)).map((one) =>
    one.status === 'fulfilled' ? 'ok' : (one.reason.errorName ?? String(one.reason.message)),
  )
const count = (all: string[], ending: string) => all.filter((one) => one === ending).length

/** A writer with two accounts. */
async function two(options: Parameters<Writing['open']>[0] = {}) {
  const opened: WriterUnderTest = await world.open({ payers: 2, ...options })
  const [flooded, other] = [newHash(), newHash()]
  await Promise.all([opened.newAccount(flooded), opened.newAccount(other)])
  return { ...opened, flooded, other }
}

describe('one account among others', () => {
  it('flood: 128 writes of one account leave room in the next block for a write of another', async () => {
    const { addGroup, flooded, other } = await two()
    await world.standStill()
    const flood = Array.from({ length: 128 }, (_, n) => addGroup(flooded, `flood ${n}`))
    await expect.poll(() => underWay(flooded), { timeout: 10_000 }).toBe(16)
    const another = addGroup(other, 'another')
    await expect.poll(() => underWay(other), { timeout: 10_000 }).toBe(1)
    expect(await underWay(flooded)).toBe(16)
    await world.mine()
    await another
    expect(await world.groups('another')).toBe(1)
    expect(count(await world.mineUntil(endings(flood)), 'ok')).toBe(128)
  })

  it('flood: account creations leave room in the next block for a write of an account', async () => {
    const { addGroup, newAccount, other } = await two()
    await world.standStill()
    const flood = Array.from({ length: 60 }, () => newAccount(newHash()))
    await expect.poll(() => underWay('newAccount'), { timeout: 10_000 }).toBe(16)
    const another = addGroup(other, 'beside openings')
    await expect.poll(() => underWay(other), { timeout: 10_000 }).toBe(1)
    expect(await underWay('newAccount')).toBe(16)
    await world.mineUntil(another)
    expect(count(await world.mineUntil(endings(flood)), 'ok')).toBe(60)
  })

  it('flood: writes beyond 128 waiting ones are rejected at once and never sent', async () => {
    const { addGroup, flooded, other } = await two()
    await world.standStill()
    const flood = Array.from({ length: 16 + 128 + 10 }, (_, n) => addGroup(flooded, `over ${n}`))
    const refused = await endings(flood.slice(-10))
    expect(count(refused, 'too many writes of this account are queued')).toBe(10)
    await world.mineUntil(addGroup(other, 'beside it'))
    expect(count(await world.mineUntil(endings(flood)), 'ok')).toBe(144)
    expect((await world.groupCounts()).get('over 153')).toBeUndefined()
  })

  it('gas burnt: of 128 colliding writes at once, at most 15 revert in a block', async () => {
    const { writer, flooded } = await two()
    await world.standStill()
    const args = [flooded, `Qm${id('colliding').slice(2, 46)}`, 'name', '']
    const writes = Array.from({ length: 128 }, () => writer.write('addAction', args))
    const all = endings(writes)
    await expect.poll(() => underWay(flooded), { timeout: 10_000 }).toBe(16)
    const made = await world.mineUntil(all)
    expect([count(made, 'ok'), count(made, 'ActionAlreadyExists')]).toEqual([1, 127])
    const sent = (await world.writes()).filter((row) => row.functionName === 'addAction')
    expect(sent).toHaveLength(16)
  })
})

describe('a turn', () => {
  it('is not needed by a call that joins a write', async () => {
    const { addGroup, flooded } = await two()
    await world.standStill()
    const flood = Array.from({ length: 16 }, (_, n) => addGroup(flooded, `turn ${n}`, `turn ${n}`))
    await expect.poll(() => underWay(flooded), { timeout: 10_000 }).toBe(16)
    // As another process with the same write would do.
    const second = await world.open({ payers: 2, waitMs: 20_000 })
    const joined = Array.from({ length: 16 }, () => second.addGroup(flooded, 'x', 'turn 3'))
    await world.mineUntil(Promise.all([...flood, ...joined]))
    expect(await world.groups('x')).toBe(0)
  })

  it('causes a 503 if it does not come in time, and the write is not sent later', async () => {
    const { addGroup, flooded } = await two({ waitMs: 1_500 })
    await world.standStill()
    const flood = Array.from({ length: 64 }, (_, n) => addGroup(flooded, `late ${n}`))
    // Two rounds finish with an unknown result, and the turns of the last writes would come after a third.
    const results = await Promise.allSettled(flood)
    for (const result of results)
      expect(result).toMatchObject({ reason: expect.any(ContractUnavailableError) })
    await world.goOn()
    await sleep(1_500)
    expect((await world.groupCounts()).get('late 63')).toBeUndefined()
  })

  it('passes to the next write if a write is rejected', async () => {
    const { addGroup } = await two()
    const nobody = newHash()
    const all = await endings(Array.from({ length: 40 }, () => addGroup(nobody, 'g')))
    expect(count(all, 'AccountDoesNotExist')).toBe(40)
  })
})

describe('the gas limit of a write', () => {
  it('is a fifth above the estimate, and at most the maximum of one transaction', () => {
    expect(gasLimitFor(100_000n)).toBe(120_000n)
    expect(gasLimitFor(15_000_000n)).toBe(WRITE_GAS_MAX)
    expect(gasLimitFor(WRITE_GAS_MAX)).toBe(2n ** 24n)
  })

  it('block filled for a cent: rejects a write that needs more, and does not send it', () => {
    expect(() => gasLimitFor(WRITE_GAS_MAX + 1n)).toThrow('TooMuchGas')
  })
})
