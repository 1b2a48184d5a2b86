import { and, count, desc, eq, gte, lte } from 'drizzle-orm'
import type { Database } from '../db/open.ts'
import { usageDays } from '../db/schema.ts'
import { fromDatabase } from '../db/unavailable.ts'

export type UsageQuestion = {
  accountHash: string
  /** Restricts the rows to those of this key. */
  keyHash?: string
  /** First and last UTC day of the period (`YYYY-MM-DD`), both inclusive. */
  from: string
  to: string
  /**
   * Number of rows to skip, and maximum number of rows to return. Without a limit, all rows are returned and the offset
   * is ignored.
   */
  offset: number
  limit?: number
}

export type UsageRow = typeof usageDays.$inferSelect

/**
 * Reads an account's charges, summed by day, key and subject. The newest day comes first, and the order is stable. The
 * number of rows is not limited by default, because each row has cost the account at least one cent.
 * @returns the requested rows, and the total number of matching rows
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
