import { and, eq, gte, inArray, lt, sql } from 'drizzle-orm'
import { appendEntry, type ChangeAudit, type NewEntry } from '../audit-log/append-entry.ts'
import type { Database, Transaction } from '../db/open.ts'
import { creditLeases, leaseParts, spendCaps } from '../db/schema.ts'
import { capBudgetName, type Payer, spentSeries } from './budget-names.ts'
import { deleteSpent, rebuildSpent, readSums } from './window-sums.ts'

export type SpendCap = { capCents: number; windowSeconds: number }

export type KeyCap = SpendCap & { keyHash: string; spentCents: number }

/** Request to return a sub-allocation. It is answered once the sub-allocation's `answered` reaches `asked`. */
type ReturnRequest = { leaseId: string; asked: number }

/**
 * Stores or removes a spending cap, and asks all processes to return the amounts granted under the previous cap. The
 * caller must hold the account's lock.
 * @returns the requests to the processes
 */
export async function storeCap(
  tx: Transaction,
  payer: Payer,
  cap: SpendCap | null,
  at: Date,
  audit?: ChangeAudit,
): Promise<ReturnRequest[]> {
  const { accountHash, keyHash } = payer
  const ofKey = and(eq(spendCaps.accountHash, accountHash), eq(spendCaps.keyHash, keyHash))
  if (cap === null) {
    const removed = await tx
      .delete(spendCaps)
      .where(ofKey)
      .returning({ one: sql`1` })
    await deleteSpent(tx, payer)
    if (audit && removed.length > 0) await appendEntry(tx, capEntry(audit, payer, null), at)
  } else {
    const [before] = await tx.select().from(spendCaps).where(ofKey)
    const { capCents, windowSeconds } = cap
    await tx
      .insert(spendCaps)
      .values({ accountHash, keyHash, capCents, windowSeconds, updatedAt: at })
      .onConflictDoUpdate({
        target: [spendCaps.accountHash, spendCaps.keyHash],
        set: { capCents, windowSeconds, updatedAt: at },
      })
    if (before?.windowSeconds !== windowSeconds) await rebuildSpent(tx, payer, at, windowSeconds)
    if (audit) await appendEntry(tx, capEntry(audit, payer, cap), at)
  }
  return tx
    .update(leaseParts)
    .set({ asked: sql`${leaseParts.asked} + 1` })
    .where(
      and(eq(leaseParts.accountHash, accountHash), eq(leaseParts.budget, capBudgetName(keyHash))),
    )
    .returning({ leaseId: leaseParts.leaseId, asked: leaseParts.asked })
}

function capEntry(
  { context, sourceId }: ChangeAudit,
  { keyHash }: Payer,
  cap: SpendCap | null,
): NewEntry {
  return {
    context: { ...context, operation: 'set_spend_cap' },
    sourceId,
    outcome: 'done',
    subject: { usage_api_key_hash: keyHash },
    details: {
      spend_cap_cents: cap?.capCents ?? null,
      spend_window_seconds: cap?.windowSeconds ?? null,
    },
  }
}

/** Ignores expired leases, because they can no longer be spent from. */
export async function isReturnPending(
  db: Database,
  keyHash: string,
  requests: readonly ReturnRequest[],
  at: Date,
): Promise<boolean> {
  if (requests.length === 0) return false
  const ids = requests.map(({ leaseId }) => leaseId)
  const rows = await db
    .select({ leaseId: leaseParts.leaseId, answered: leaseParts.answered })
    .from(leaseParts)
    .innerJoin(creditLeases, eq(creditLeases.id, leaseParts.leaseId))
    .where(
      and(
        inArray(leaseParts.leaseId, ids),
        eq(leaseParts.budget, capBudgetName(keyHash)),
        lt(leaseParts.answered, leaseParts.asked),
        gte(creditLeases.expiresAt, at),
      ),
    )
  const asked = new Map(requests.map((question) => [question.leaseId, question.asked]))
  return rows.some(({ leaseId, answered }) => answered < (asked.get(leaseId) ?? 0))
}

/** With the settled amounts spent, ordered by key hash. */
export async function capsOf(db: Database, accountHash: string, at: Date): Promise<KeyCap[]> {
  const caps = await db
    .select()
    .from(spendCaps)
    .where(eq(spendCaps.accountHash, accountHash))
    .orderBy(spendCaps.keyHash)
  const series = caps.map(({ keyHash }) => spentSeries(keyHash))
  const sums = await readSums(db, accountHash, series, at)
  return caps.map(({ keyHash, capCents, windowSeconds }) => {
    const spentCents = sums.get(spentSeries(keyHash))?.amount ?? 0
    return { keyHash, capCents, windowSeconds, spentCents }
  })
}
