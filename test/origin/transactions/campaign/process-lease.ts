import { sql } from 'drizzle-orm'
import type { Database } from '../../../../origin/db/open.ts'
import { processes } from '../../../../origin/db/schema.ts'

/** The heartbeat of an origin, with a lease of another duration. */
export async function beat(db: Database, processId: string, leaseMs: number): Promise<void> {
  const at = new Date()
  const values = {
    heartbeatAt: at,
    leaseUntil: sql`clock_timestamp() + ${leaseMs} * interval '1 millisecond'`,
  }
  await db
    .insert(processes)
    .values({ id: processId, startedAt: at, ...values })
    .onConflictDoUpdate({ target: processes.id, set: values })
}

/**
 * Sends heartbeats until the function that it returns is called.
 * @throws if the first one fails
 */
export async function keepLease(
  db: Database,
  processId: string,
  leaseMs: number,
): Promise<() => void> {
  await beat(db, processId, leaseMs)
  const timer = setInterval(() => void beat(db, processId, leaseMs).catch(() => {}), leaseMs / 5)
  return () => clearInterval(timer)
}
