import { and, count, desc, eq, gte, lte, type SQL, sql } from 'drizzle-orm'
import type { Database, Transaction } from '../db/open.ts'
import { type TransferRow, usageDays } from '../db/schema.ts'
import { fromDatabase } from '../db/database-unavailable.ts'

export type UsageFilter = {
  accountHash: string
  keyHash?: string
  /** First and last UTC day (`YYYY-MM-DD`), both inclusive. */
  from: string
  to: string
  /** Without `limit`, all rows are returned and `offset` is ignored. */
  offset: number
  limit?: number
}

export type DailyUsage = typeof usageDays.$inferSelect

/**
 * Returns charges by day, key and subject, newest day first, in a stable order. The number of rows is unlimited by
 * default, because each row has cost the account at least one cent.
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

/** Runs in the transaction that posted the charges. Ignores other kinds of transfers. */
export async function addUsage(
  tx: Transaction,
  accountHash: string,
  at: Date,
  posted: readonly TransferRow[],
): Promise<void> {
  const charges = posted.flatMap(({ kind, keyHash, subject, cents, quantity }) =>
    keyHash !== null && subject !== null && (kind === 'write' || kind === 'execution')
      ? [
          sql`(${kind}::text, ${keyHash}::text, ${subject}::text, ${cents}::bigint, ${quantity}::int)`,
        ]
      : [],
  )
  if (charges.length === 0) return
  await tx.execute(usageUpsert(accountHash, at, sql`VALUES ${sql.join(charges, sql`, `)}`))
}

/** @param charges a query with the columns kind, key hash, subject, cents and quantity */
export function usageUpsert(accountHash: string, at: Date, charges: SQL): SQL {
  const day = at.toISOString().slice(0, 10)
  return sql`
    INSERT INTO ${usageDays} (account_hash, day, key_hash, kind, subject, cents, quantity)
    SELECT ${accountHash}, ${day}::date, c.key_hash, c.kind, c.subject, sum(c.cents), sum(c.quantity)
    FROM (${charges}) c (kind, key_hash, subject, cents, quantity)
    GROUP BY c.key_hash, c.kind, c.subject
    ON CONFLICT (account_hash, day, key_hash, kind, subject) DO UPDATE
    SET cents = usage_days.cents + excluded.cents, quantity = usage_days.quantity + excluded.quantity`
}
