import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import type { Database } from '../../../origin/db/open.ts'

/** Waits until a statement in the database waits for a lock of another transaction. */
export async function untilLockWait(db: Database): Promise<void> {
  const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const count = async () => ((await db.execute(waiting)) as { rows: unknown[] }).rows.length
  await expect.poll(count, { timeout: 10_000 }).toBeGreaterThan(0)
}
