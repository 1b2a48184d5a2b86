import { and, asc, eq, gt, inArray, lt, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/pg-core'
import type { Database } from '../db/open.ts'
import { creditAccounts, creditLeases, leaseParts } from '../db/schema.ts'
import { causeOf } from './lease-order.ts'
import { changeAccount, payDebt, type Transaction } from './ledger.ts'

/** Moves the expiry of leases on. @returns the ids of those that are there still */
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

/** What of its leases other processes have asked a process for: a part of oor the credit where `budget` is null. */
export async function askedLeases(
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
 * Asks all processes for the free credit that they hold of an account, since it is wanted where no process asks for it:
 * credit that was taken back leaves debt, which is paid by what comes back.
 */
export async function askAll(tx: Transaction, accountHash: string): Promise<void> {
  await tx
    .update(creditLeases)
    .set({ asked: sql`${creditLeases.asked} + 1` })
    .where(and(eq(creditLeases.accountHash, accountHash), gt(creditLeases.cents, 0)))
}

/**
 * Returns what leases hold to their accounts. What their process had spent and not settled is lost to us.
 * @param inTime bounds each question to the database
 */
export async function reapLeases(
  db: Database,
  which: { expiredBefore: Date } | { ofProcess: string },
  at: Date,
  inTime = <Answer>(asked: Promise<Answer>) => asked,
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
  for (const { accountHash } of await inTime(accounts.execute())) {
    const reaping = db.transaction(async (tx) => {
      const ofAccount = eq(creditAccounts.accountHash, accountHash)
      // The account before its leases, as everywhere: two that lock in another order wait for each other for ever.
      const [account] = await tx.select().from(creditAccounts).where(ofAccount).for('update')
      const ended = await tx
        .delete(creditLeases)
        .where(and(eq(creditLeases.accountHash, accountHash), dead))
        .returning()
      if (!account || ended.length === 0) return
      const returned = ended.reduce((sum, { cents }) => sum + cents, 0)
      const freed = await changeAccount(tx, account, { leasedCents: -returned })
      // Debt waits for what processes had leased when a refund came.
      await payDebt(tx, freed, at, causeOf(ended))
    })
    await inTime(reaping)
  }
}
