import { asc, inArray, lte } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { IdentityDeps } from './deps.ts'

type ExpiringTable = SQLiteTable & { expiresAt: SQLiteColumn }
type Expired = { table: ExpiringTable; key: SQLiteColumn; upTo: number; maxRows?: number }

/**
 * Deletes rows that expired at or before `upTo`, oldest first. Each request deletes only a few rows, so that no request
 * is slow.
 */
export async function deleteExpired(
  db: IdentityDeps['db'],
  { table, key, upTo, maxRows = 100 }: Expired,
): Promise<void> {
  const expired = db
    .select({ key })
    .from(table)
    .where(lte(table.expiresAt, upTo))
    .orderBy(asc(table.expiresAt))
    .limit(maxRows)
  await db.delete(table).where(inArray(key, expired))
}
