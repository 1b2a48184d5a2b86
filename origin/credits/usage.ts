import { and, count, desc, eq, gte, lte } from 'drizzle-orm'
import type { Database } from '../db/open.ts'
import { usageDays } from '../db/schema.ts'
import { fromDatabase } from '../db/database-unavailable.ts'

export type UsageFilter = {
  accountHash: string
  keyHash?: string
  /** UTC days (`YYYY-MM-DD`), both inclusive. */
  from: string
  to: string
  /** Without `limit`, all rows are returned and the offset is ignored. */
  offset: number
  limit?: number
}

export type DailyUsage = typeof usageDays.$inferSelect

/**
 * Charges by day, key and subject, newest day first, in a stable order. Unlimited by default, because each row has cost
 * the account at least one cent.
 * @returns `total` counts all matching rows
 * @throws {DatabaseUnavailableError}
 */
export async function readUsage(
  db: Database,
  { accountHash, keyHash, from, to, offset, limit }: UsageFilter,
): Promise<{ rows: DailyUsage[]; total: number }> {
  const condition = and(
    eq(usageDays.accountHash, accountHash),
    keyHash === undefined ? undefined : eq(usageDays.keyHash, keyHash),
    gte(usageDays.day, from),
    lte(usageDays.day, to),
  )
  const { day, keyHash: key, kind, subject } = usageDays
  const query = db.select().from(usageDays).where(condition).orderBy(desc(day), key, kind, subject)
  const rows = await fromDatabase(limit === undefined ? query : query.limit(limit).offset(offset))
  if (limit === undefined) return { rows, total: rows.length }
  const [all] = await fromDatabase(db.select({ rows: count() }).from(usageDays).where(condition))
  return { rows, total: all?.rows ?? 0 }
}
