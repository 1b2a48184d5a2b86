import { and, asc, eq, gt, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import type { Database, Transaction } from '../db/open.ts'
import { creditLeases, leaseParts } from '../db/schema.ts'
import { changeAccount, type CreditAccount, lockRow, payDebt } from './ledger.ts'

export type LeaseRow = typeof creditLeases.$inferSelect

/** @returns the IDs of the leases that still exist */
export async function renewLeases(
  db: Database,
  ids: readonly string[],
  expiresAt: Date,
): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .update(creditLeases)
    .set({ expiresAt })
    .where(inArray(creditLeases.id, [...ids]))
    .returning({ id: creditLeases.id })
  return rows.map(({ id }) => id)
}

/**
 * Returns the leases and sub-allocations of a process that it was asked to return and for which it has not answered.
 * `budget` is null for a lease, which holds account credit.
 */
export async function requestedReturns(
  db: Database,
  processId: string,
): Promise<{ accountHash: string; budget: string | null }[]> {
  const ofProcess = eq(creditLeases.processId, processId)
  const credit = db
    .select({ accountHash: creditLeases.accountHash, budget: sql<string | null>`null::text` })
    .from(creditLeases)
    .where(and(ofProcess, gt(creditLeases.asked, creditLeases.answered)))
  const parts = db
    .select({
      accountHash: leaseParts.accountHash,
      budget: sql<string | null>`${leaseParts.budget}`,
    })
    .from(leaseParts)
    .innerJoin(creditLeases, eq(creditLeases.id, leaseParts.leaseId))
    .where(and(ofProcess, gt(leaseParts.asked, leaseParts.answered)))
  return unionAll(credit, parts)
}

/** @returns the leases that hold credit */
export async function requestReturns(tx: Transaction, which: SQL): Promise<LeaseRow[]> {
  return tx
    .update(creditLeases)
    .set({ asked: sql`${creditLeases.asked} + 1` })
    .where(and(which, gt(creditLeases.cents, 0)))
    .returning()
}

/**
 * Deletes the selected leases of the account and returns their credit to it. The caller must hold the account's lock.
 */
export async function closeLeases(
  tx: Transaction,
  account: CreditAccount,
  which: SQL | undefined,
  at: Date,
): Promise<{ account: CreditAccount; closed: LeaseRow[] }> {
  const closed = await tx
    .delete(creditLeases)
    .where(and(eq(creditLeases.accountHash, account.accountHash), which))
    .returning()
  const [first] = closed.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  if (!first) return { account, closed }
  const returned = closed.reduce((sum, { cents }) => sum + cents, 0)
  const freed = await changeAccount(tx, account, { leasedCents: -returned })
  // Pays debt from the returned credit, because a debt from a refund may remain unpaid until processes return credit.
  // The transfer's idempotency key is unique, because a lease's sequence number increases with each order.
  const cause = `ended:${first.id}:${first.sequence}`
  return { account: await payDebt(tx, freed, at, cause), closed }
}

/**
 * Deletes expired leases or the leases of a process, and returns their credit to the accounts. Charges that were not
 * settled are lost.
 * @param withTimeout applies a timeout to each database operation
 */
export async function reapLeases(
  db: Database,
  which: { expiredBefore: Date } | { ofProcess: string },
  at: Date,
  withTimeout = <Answer>(asked: Promise<Answer>) => asked,
): Promise<void> {
  const dead =
    'expiredBefore' in which
      ? lt(creditLeases.expiresAt, which.expiredBefore)
      : eq(creditLeases.processId, which.ofProcess)
  const accounts = db
    .selectDistinct({ accountHash: creditLeases.accountHash })
    .from(creditLeases)
    .where(dead)
    .orderBy(asc(creditLeases.accountHash))
  for (const { accountHash } of await withTimeout(accounts.execute())) {
    const reaping = db.transaction(async (tx) => {
      // Locks the account before its leases, as all other transactions do. A different lock order could cause a
      // deadlock.
      const account = await lockRow(tx, accountHash)
      if (account) await closeLeases(tx, account, dead, at)
    })
    await withTimeout(reaping)
  }
}
