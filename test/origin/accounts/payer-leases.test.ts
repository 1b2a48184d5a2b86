import { eq } from 'drizzle-orm'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { PayerLeases } from '../../../origin/accounts/writer/payer-leases.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { payers } from '../../../origin/db/schema.ts'
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
