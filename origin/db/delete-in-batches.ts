import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from './open.ts'

/** A statement of this size finishes well within the query timeout. */
const BATCH_SIZE = 5_000

/** Rows that other transactions have locked are left to the next call, so that no transaction waits for another. */
export async function deleteInBatches(
  db: Database,
  table: PgTable,
  condition: SQL | undefined,
): Promise<number> {
  let deleted = 0
  for (;;) {
    const batch = db
      .select({ ctid: sql`ctid` })
      .from(table)
      .where(condition)
      .limit(BATCH_SIZE)
      .for('update', { skipLocked: true })
    const gone = await db
      .delete(table)
      .where(sql`ctid = any(array(${batch}))`)
      .returning({ one: sql`1` })
    deleted += gone.length
    if (gone.length < BATCH_SIZE) return deleted
  }
}
