import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { payments as paymentsTable } from '../../../origin/db/schema.ts'
import { DAY_MS } from '../../../shared/durations.ts'
import { type ProcessorDouble, startProcessor } from '../../doubles/processor/server.ts'
import type { OpenDatabase } from '../../../origin/db/open.ts'
import { onSharedDatabase } from '../db/shared-database.ts'
import { newAccount, originProcess } from './process.ts'
import { paymentsOf } from './processor/paying.ts'

let double: ProcessorDouble
beforeAll(async () => {
  double = await startProcessor()
})
afterAll(() => double.close())

/** Facts about accounts that alerts need, on a database. */
function factsHold(database: () => OpenDatabase): void {
  let account = ''
  let clock = { at: 0 }
  beforeEach(() => {
    account = newAccount()
    clock = { at: Date.now() }
  })
  const shop = () => paymentsOf(double, database().db, { clock })
  const problem = async () => {
    const { credits } = originProcess(database(), { clock })
    return (await credits.paymentProblems([account, newAccount()])).get(account)
  }
  async function began(): Promise<string> {
    const { intentId } = await shop().begin(account)
    return intentId
  }
  async function paid(): Promise<string> {
    const intentId = await began()
    double.paying.byCard(intentId)
    await shop().payments.reconcile(intentId)
    return intentId
  }

  describe('the stored balance', () => {
    it('of an account that never used its credit is its starter credit', async () => {
      const { credits, spend } = originProcess(database(), { starterCents: 7 })
      expect(await credits.storedBalances([account])).toEqual(new Map([[account, 7]]))
      await spend(account, 2)
      await credits.close()
      expect(await credits.storedBalances([account])).toEqual(new Map([[account, 5]]))
      expect(await credits.storedBalances([])).toEqual(new Map())
    })
  })

  describe('the payment problem of an account', () => {
    it('is absent without payments, for an unpaid intent, and for a paid one', async () => {
      expect(await problem()).toBeUndefined()
      await shop().payments.reconcile(await began())
      expect(await problem()).toBeUndefined()
      await paid()
      expect(await problem()).toBeUndefined()
    })

    it('is a declined payment until another attempt succeeds', async () => {
      const intentId = await began()
      double.paying.decline(intentId)
      await shop().payments.reconcile(intentId)
      expect(await problem()).toBe('declined')
      double.paying.byCard(intentId)
      await shop().payments.reconcile(intentId)
      expect(await problem()).toBeUndefined()
    })

    it('is resolved by a later payment, by canceling, and after seven days', async () => {
      const declined = async () => {
        const intentId = await began()
        double.paying.decline(intentId)
        await shop().payments.reconcile(intentId)
        expect(await problem()).toBe('declined')
        return intentId
      }
      await declined()
      clock.at += 60_000
      await paid()
      expect(await problem()).toBeUndefined()
      clock.at += 60_000
      const canceled = await declined()
      double.paying.cancel(canceled)
      await shop().payments.reconcile(canceled)
      expect(await problem()).toBeUndefined()
      const last = await declined()
      clock.at += 7 * DAY_MS - 1
      await shop().payments.reconcile(last)
      expect(await problem()).toBe('declined')
      clock.at += 1
      expect(await problem()).toBeUndefined()
    })

    it('is a dispute that withdrew money, until it is won or 30 days have passed', async () => {
      const intentId = await paid()
      const inquiry = double.givingBack.dispute(intentId, { inquiry: true })
      await shop().payments.reconcile(intentId)
      expect(await problem()).toBeUndefined()
      double.givingBack.escalate(inquiry.id)
      await shop().payments.reconcile(intentId)
      expect(await problem()).toBe('disputed')
      // A later payment does not end the dispute, and an older decline does not hide it.
      double.paying.decline(await began())
      await paid()
      expect(await problem()).toBe('disputed')
      double.givingBack.win(inquiry.id)
      await shop().payments.reconcile(intentId)
      expect(await problem()).toBeUndefined()

      const other = await paid()
      double.givingBack.dispute(other)
      await shop().payments.reconcile(other)
      expect(await problem()).toBe('disputed')
      clock.at += 30 * DAY_MS
      await shop().payments.reconcile(other)
      expect(await problem()).toBeUndefined()
    })

    it('keeps the time at which it was first seen, so that polls do not prolong it', async () => {
      const intentId = await began()
      double.paying.decline(intentId)
      await shop().payments.reconcile(intentId)
      const seenAt = clock.at
      clock.at += DAY_MS
      await shop().payments.reconcile(intentId)
      const rows = await database().db.select().from(paymentsTable)
      const row = rows.find((one) => one.intentId === intentId)
      expect(row?.declinedAt?.getTime()).toBe(seenAt)
    })

    it('IDOR: is not that of another account', async () => {
      const intentId = await began()
      double.paying.decline(intentId)
      await shop().payments.reconcile(intentId)
      const { credits } = originProcess(database(), { clock })
      expect(await credits.paymentProblems([newAccount()])).toEqual(new Map())
    })
  })
}

onSharedDatabase(1, (open) => factsHold(() => open(0)))
