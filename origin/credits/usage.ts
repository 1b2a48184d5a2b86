import { and, count, desc, eq, gte, lte } from 'drizzle-orm'
import type { Database } from '../db/open.ts'
import { usageDays } from '../db/schema.ts'
import { fromDatabase } from '../db/unavailable.ts'

/** Which of an account's charges are asked for. */
export type UsageQuestion = {
  accountHash: string
  /** Of this key alone. */
  keyHash?: string
  /** UTC days, `YYYY-MM-DD`, both included. */
  from: string
  to: string
  /** Rows to leave out at the beginning, and how many to give at most; all of them where there is no limit. */
  offset: number
  limit?: number
}

export type UsageRow = typeof usageDays.$inferSelect

/**
 * What was charged, summed by day, key and what it was for: the newest day first, in an order that stays. There is no
 * bound on the rows: each of them has cost its account a cent at least.
 * @returns the rows that were asked for, and how many there are in all
 * @throws {DatabaseUnavailable}
 */
export async function usageOf(
  db: Database,
  { accountHash, keyHash, from, to, offset, limit }: UsageQuestion,
): Promise<{ rows: UsageRow[]; total: number }> {
  const asked = and(
    eq(usageDays.accountHash, accountHash),
    keyHash === undefined ? undefined : eq(usageDays.keyHash, keyHash),
    gte(usageDays.day, from),
    lte(usageDays.day, to),
  )
  const { day, keyHash: key, kind, subject } = usageDays
  const query = db.select().from(usageDays).where(asked).orderBy(desc(day), key, kind, subject)
  const rows = await fromDatabase(limit === undefined ? query : query.limit(limit).offset(offset))
  if (limit === undefined) return { rows, total: rows.length }
  const [all] = await fromDatabase(db.select({ rows: count() }).from(usageDays).where(asked))
  return { rows, total: all?.rows ?? 0 }
}
