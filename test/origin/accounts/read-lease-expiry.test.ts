import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ContractUnavailableError } from '../../../origin/accounts/chain.ts'
import { READ_LEASE_MS, ReadLease } from '../../../origin/accounts/mirror/read-lease.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { mirrorRequirements } from '../../../origin/db/schema.ts'
import { openFresh } from '../db/fresh-database.ts'

let database: OpenDatabase
beforeEach(async () => {
  database = await openFresh()
})
afterEach(() => database.close())

/** A database whose response to a renewal arrives `delayMs` later by this clock. */
function delayedBy(delayMs: number, clock: { at: number }): OpenDatabase['db'] {
  return new Proxy(database.db, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name !== 'execute') return value.bind(target)
      return async (query: never) => {
        const answer: unknown = await Reflect.apply(value, target, [query])
        clock.at += delayMs
        return answer
      }
    },
  })
}

it('revoked key: expires a read lease two seconds after its request, however late the response', async () => {
  const clock = { at: 10_000 }
  let check = () => {}
  const lease = new ReadLease({
    db: delayedBy(1_500, clock),
    processId: 'a',
    chain: 'chain',
    mirror: { block: 0, syncTo: async () => {}, guard: (guard) => void (check = guard) },
    now: () => clock.at,
    onFailure: () => {},
  })
  await lease.start()
  try {
    clock.at = 10_000 + READ_LEASE_MS
    expect(check).not.toThrow()
    clock.at += 1
    expect(check).toThrow('caught up')
  } finally {
    await lease.close()
  }
})

it('waits at startup until a chain that lost blocks has caught up, and reports each failure', async () => {
  const { db } = database
  await db.insert(mirrorRequirements).values({ chain: 'chain', block: 7 })
  const failures: unknown[] = []
  let block = 4
  const mirror = {
    get block() {
      return block
    },
    syncTo: async () => {
      block++
      if (block < 7) throw new ContractUnavailableError('its node no longer returns block 7')
    },
    guard: () => {},
  }
  const lease = new ReadLease({
    db,
    processId: 'a',
    chain: 'chain',
    mirror,
    now: () => performance.now(),
    onFailure: (error) => failures.push(error),
  })
  await lease.start()
  await lease.close()
  expect(block).toBe(7)
  expect(failures).toEqual([
    expect.any(ContractUnavailableError),
    expect.any(ContractUnavailableError),
  ])
})

it('renews every half second while it serves reads, and every 1.5 s while it is idle', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const clock = { at: 10_000 }
  const renewals: Promise<unknown>[] = []
  const db = new Proxy(database.db, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name !== 'execute') return value.bind(target)
      return (query: never) => {
        // One promise for the lease and the test: drizzle executes the query for each `then`.
        const answer = Promise.resolve(Reflect.apply(value, target, [query]))
        renewals.push(answer)
        return answer
      }
    },
  })
  let read = () => {}
  const lease = new ReadLease({
    db,
    processId: 'a',
    chain: 'chain',
    mirror: { block: 0, syncTo: async () => {}, guard: (guard) => void (read = guard) },
    now: () => clock.at,
    onFailure: () => {},
  })
  await lease.start()
  const renewalsIn = async (ms: number, isServing: boolean) => {
    const before = renewals.length
    for (let passed = 0; passed < ms; passed += 500) {
      if (isServing) read()
      clock.at += 500
      vi.advanceTimersByTime(500)
      await Promise.all(renewals)
      await new Promise((resolve) => setImmediate(resolve))
    }
    return renewals.length - before
  }
  try {
    expect(await renewalsIn(6_000, false)).toBe(4)
    expect(read).not.toThrow()
    expect(await renewalsIn(6_000, true)).toBe(12)
    // The process counts as idle when the lease of its last read has ended.
    await renewalsIn(2_500, false)
    expect(await renewalsIn(6_000, false)).toBe(4)
  } finally {
    vi.useRealTimers()
    await lease.close()
  }
})
