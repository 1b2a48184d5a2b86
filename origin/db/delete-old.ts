import { type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from './open.ts'

/** Rows that one statement deletes: it ends long before it would be given up. */
const PORTION = 5_000

/**
 * Deletes what is not kept any more, however much there is of it. Rows that others have locked are left for the next
 * time: nobody waits for this, and it for nobody.
 * @returns how many rows there were
 */
export async function deleteOld(
  db: Database,
  table: PgTable,
  old: SQL | undefined,
): Promise<number> {
  let deleted = 0
  for (;;) {
    const portion = db
      .select({ ctid: sql`ctid` })
      .from(table)
      .where(old)
      .limit(PORTION)
      .for('update', { skipLocked: true })
    const gone = await db
      .delete(table)
      .where(sql`ctid = any(array(${portion}))`)
      .returning({ one: sql`1` })
    deleted += gone.length
    if (gone.length < PORTION) return deleted
  }
}
