import { afterAll, beforeAll, expect, it } from 'vitest'
import { capBudgetName } from '../../../origin/credits/budget-names.ts'
import type { Charge } from '../../../origin/credits/lease-order.ts'
import { settleCharges } from '../../../origin/credits/settle-charges.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { openFresh } from '../db/fresh-database.ts'
import { booksOf, KEY, openAccount } from './process.ts'

let database: OpenDatabase
beforeAll(async () => {
  database = await openFresh()
})
afterAll(() => database.close())

const charge = (subject: string, cents: number): Charge => ({
  kind: 'execution',
  keyHash: KEY,
  subject,
  cents,
  quantity: 1,
})

it('overspending: applies a cap to all charges of a key together', async () => {
  const { db } = database
  const accountHash = await openAccount(db, 100)
  const budget = capBudgetName(KEY)
  const terms = { limit: 10, used: 0, windowSeconds: 3_600, nextLeavesAt: undefined }
  const books = new Map([[budget, { budget, own: undefined, others: [], terms }]])
  const charges = [charge('Qm1', 8), charge('Qm2', 8)]
  const order = { accountHash, leaseId: 'lease', sequence: 1, charges }
  const settled = await db.transaction((tx) =>
    settleCharges(tx, order, new Date(), { payable: 100, books }),
  )
  expect(settled).toEqual({ cents: 10, byKey: new Map([[KEY, 10]]), unpaidCents: 6 })
  expect((await booksOf(db, accountHash)).revenue).toBe(10)
})
