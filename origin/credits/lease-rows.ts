import { and, asc, eq, gt, inArray, lt, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import type { Database, Transaction } from '../db/open.ts'
import { creditAccounts, creditLeases, leaseParts } from '../db/schema.ts'
import { closedLeasesCause } from './lease-order.ts'
import { changeAccount, payDebt } from './ledger.ts'

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

/** Amounts that other processes have asked this process to return. `budget` is null for credit. */
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

/**
 * Asks all processes to return the account's free credit. After a refund or dispute it pays the debt, and no process
 * would request it otherwise.
 */
export async function requestAllReturns(tx: Transaction, accountHash: string): Promise<void> {
  await tx
    .update(creditLeases)
    .set({ asked: sql`${creditLeases.asked} + 1` })
    .where(and(eq(creditLeases.accountHash, accountHash), gt(creditLeases.cents, 0)))
}

/**
 * Returns the amounts of the closed leases to the accounts. Charges that the process had not settled are lost.
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
      const ofAccount = eq(creditAccounts.accountHash, accountHash)
      // Account before leases, as in all other transactions. A different lock order could cause a deadlock.
      const [account] = await tx.select().from(creditAccounts).where(ofAccount).for('update')
      const ended = await tx
        .delete(creditLeases)
        .where(and(eq(creditLeases.accountHash, accountHash), dead))
        .returning()
      if (!account || ended.length === 0) return
      const returned = ended.reduce((sum, { cents }) => sum + cents, 0)
      const freed = await changeAccount(tx, account, { leasedCents: -returned })
      // A debt from a refund may remain unpaid until processes return their leased credit.
      await payDebt(tx, freed, at, closedLeasesCause(ended))
    })
    await withTimeout(reaping)
  }
}
