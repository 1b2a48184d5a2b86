import { randomBytes } from 'node:crypto'
import { and, eq, inArray, lte, sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PayerLeases } from '../../../origin/accounts/writer/payer-leases.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { payers, processes } from '../../../origin/db/schema.ts'
import { HEARTBEAT_LOST_MS, RunClaims } from '../../../origin/runs/claims.ts'
import { PROCESS_LEASE_MS } from '../../../shared/limits.ts'
import { openFresh } from '../db/fresh-database.ts'

let database: OpenDatabase
beforeEach(async () => {
  database = await openFresh()
})
afterEach(() => database.close())

it('takes an expired lease again instead of renewing it', async () => {
  const { db } = database
  const leases = new PayerLeases({ db, processId: 'a', leaseMs: 60_000 })
  await leases.createMissing([1, 2])
  expect(await leases.acquire([1, 2])).toEqual([1, 2])
  await db
    .update(payers)
    .set({ leaseUntil: new Date(0) })
    .where(eq(payers.number, 1))
  expect(await leases.renew()).toEqual([{ number: 2, wantedBy: null }])
  expect(await leases.acquire([1, 2])).toEqual([1])
})

it('takes over the leases of its predecessor at once, and none that others hold', async () => {
  const { db } = database
  const as = (processId: string, predecessor?: string) =>
    new PayerLeases({ db, processId, predecessor, leaseMs: 60_000 })
  const [killed, other] = [as('killed'), as('other')]
  await killed.createMissing([1, 2, 3])
  await killed.acquire([1, 2])
  await other.acquire([3])
  expect(await as('stranger').acquire([1, 2, 3])).toEqual([])
  expect(await as('next', 'killed').acquire([1, 2, 3])).toEqual([1, 2])
})

it('updates the rows of its payers only when their leases are due', async () => {
  const { db } = database
  const leases = new PayerLeases({ db, processId: 'a', leaseMs: 60_000 })
  await leases.createMissing([1, 2])
  await leases.acquire([1, 2])
  const untilOf = async () => {
    const rows = await db.select().from(payers).orderBy(payers.number)
    return rows.map(({ leaseUntil }) => leaseUntil.getTime())
  }
  const acquired = await untilOf()
  expect(await leases.renew()).toHaveLength(2)
  expect(await untilOf()).toEqual(acquired)
  const half = new Date(acquired[0]! - 30_000)
  await db.update(payers).set({ leaseUntil: half }).where(eq(payers.number, 1))
  expect(await leases.renew()).toHaveLength(2)
  const [renewed, other] = await untilOf()
  expect(renewed).toBeGreaterThanOrEqual(acquired[0]!)
  expect(other).toBe(acquired[1])
})

it('leases each payer to only one of two processes that contend for all of them', async () => {
  const { db } = database
  const numbers = Array.from({ length: 16 }, (_, number) => number)
  const [one, other] = ['one', 'other'].map(
    (processId) => new PayerLeases({ db, processId, leaseMs: 60_000 }),
  )
  await one!.createMissing(numbers)
  const acquired = await Promise.all(
    Array.from({ length: 8 }, (_, n) => (n % 2 ? one! : other!).acquire(numbers)),
  )
  expect(acquired.flat().toSorted((a, b) => a - b)).toEqual(numbers)
  const held = [...(await one!.renew()), ...(await other!.renew())].map(({ number }) => number)
  expect(held.toSorted((a, b) => a - b)).toEqual(numbers)
})

describe('payers of a process with a heartbeat', () => {
  const MINUTE_MS = 60_000
  const outcomeKey = randomBytes(32)
  const claimsOf = (processId: string, aheadMs = 0) =>
    new RunClaims({ db: database.db, processId, outcomeKey, now: () => Date.now() + aheadMs })
  const leasesOf = (processId: string) =>
    new PayerLeases({ db: database.db, processId, leaseMs: 10_000 })
  /** Returns the remaining duration of the payer's lease by the database's clock. */
  const leftOf = async (number: number) => {
    const left = sql<number>`(extract(epoch from ${payers.leaseUntil} - clock_timestamp()) * 1000)::float8`
    const [row] = await database.db.select({ left }).from(payers).where(eq(payers.number, number))
    return row!.left
  }
  const endProcessLease = (id: string) =>
    database.db
      .update(processes)
      .set({ leaseUntil: sql`clock_timestamp()` })
      .where(eq(processes.id, id))

  /** Starts a process that holds payers 1 and 2. */
  const startHolder = async () => {
    const holder = leasesOf('holder')
    await holder.createMissing([1, 2])
    await holder.acquire([1, 2])
    await claimsOf('holder').heartbeat()
    await holder.renew()
    return holder
  }

  it('are leased for minutes, and renewed without changing rows', async () => {
    const holder = await startHolder()
    const left = await leftOf(1)
    expect(left).toBeGreaterThan(2 * MINUTE_MS)
    await holder.renew()
    expect(await leftOf(1)).toBeLessThan(left)
  })

  it('are leased only briefly before the first heartbeat', async () => {
    const starting = leasesOf('starting')
    await starting.createMissing([1])
    await starting.acquire([1])
    expect(await starting.renew()).toHaveLength(1)
    expect(await leftOf(1)).toBeLessThan(10_001)
  })

  it('SIGKILL: are free when the lease of the process ends, minutes before their own', async () => {
    const holder = await startHolder()
    const other = leasesOf('other')
    expect(await other.acquire([1, 2])).toEqual([])
    await endProcessLease('holder')
    expect(await leftOf(1)).toBeGreaterThan(MINUTE_MS)
    expect(await other.acquire([1])).toEqual([1])
    expect(await holder.renew()).toEqual([])
    // Payer 1 belongs to the other process, even if its former holder was only suspended.
    await claimsOf('holder').heartbeat()
    expect(await holder.renew()).toEqual([{ number: 2, wantedBy: null }])
    expect(await holder.acquire([1])).toEqual([])
  })

  it.each([-1, 1])(
    'end by the database’s clock, if the process’s is off by %i h',
    async (hours) => {
      await claimsOf('holder', hours * 60 * MINUTE_MS).heartbeat()
      const left = sql<number>`(extract(epoch from ${processes.leaseUntil} - clock_timestamp()) * 1000)::float8`
      const [row] = await database.db.select({ left }).from(processes)
      expect(row!.left).toBeLessThanOrEqual(PROCESS_LEASE_MS)
      expect(row!.left).toBeGreaterThan(0)
    },
  )

  it('are free at once after a graceful stop', async () => {
    const holder = await startHolder()
    await claimsOf('holder').endHeartbeat()
    expect(await leasesOf('other').acquire([1, 2])).toEqual([])
    await holder.release()
    expect(await leasesOf('other').acquire([1, 2])).toEqual([1, 2])
  })

  it('stay free until they are taken over, even after others have reaped the claims', async () => {
    await startHolder()
    await endProcessLease('holder')
    const reaper = claimsOf('reaper', HEARTBEAT_LOST_MS + 1_000)
    await reaper.reap()
    expect(await leasesOf('other').acquire([1, 2])).toEqual([1, 2])
    await reaper.reap()
    expect(await database.db.select().from(processes)).toEqual([])
  })

  it('are leased for the usual time to the process that they are handed to', async () => {
    const holder = await startHolder()
    await holder.handOver({ number: 1, wantedBy: 'other' })
    expect(await leftOf(1)).toBeLessThan(10_001)
    expect(await leasesOf('other').renew()).toEqual([{ number: 1, wantedBy: null }])
  })

  describe('and a process of the previous version', () => {
    /** The previous version's heartbeat. */
    const beatLikePrevious = (id: string) =>
      database.db.execute(sql`
        insert into processes (id, started_at, heartbeat_at) values (${id}, now(), now())
        on conflict (id) do update set heartbeat_at = now()`)
    /** The previous version acquires payers whose leases have ended, and does not know about leases of processes. */
    const acquireLikePrevious = (processId: string, numbers: number[]) =>
      database.db
        .update(payers)
        .set({ processId, leaseUntil: sql`clock_timestamp() + interval '10 s'`, wantedBy: null })
        .where(and(inArray(payers.number, numbers), lte(payers.leaseUntil, sql`clock_timestamp()`)))
        .returning({ number: payers.number })

    it('are not taken over by it', async () => {
      const holder = await startHolder()
      await beatLikePrevious('previous')
      expect(await acquireLikePrevious('previous', [1, 2])).toEqual([])
      await holder.release()
      expect(await acquireLikePrevious('previous', [1, 2])).toHaveLength(2)
    })

    it('do not include its payers before their own leases have ended', async () => {
      await beatLikePrevious('previous')
      const current = leasesOf('current')
      await current.createMissing([1])
      await acquireLikePrevious('previous', [1])
      await claimsOf('current').heartbeat()
      expect(await current.acquire([1])).toEqual([])
      await database.db.update(payers).set({ leaseUntil: sql`clock_timestamp()` })
      expect(await current.acquire([1])).toEqual([1])
    })
  })
})
