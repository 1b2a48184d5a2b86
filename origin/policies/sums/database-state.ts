import { sql } from 'drizzle-orm'
import type { Database } from '../../db/open.ts'
import { records } from './records.ts'

/**
 * A restore to an earlier time and a failover start a new timeline of Postgres. Another cluster, for example from a dump,
 * has another system identifier. Also in the migration that creates the table.
 */
const TIMELINE = sql`(pg_control_system()).system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)`

export type Digest = { pkpId: string; digest: string }

export type DatabaseState = {
  /** The database's clock, in Unix milliseconds. */
  clock: number
  /** False if sums may have lost amounts, and this is not recorded yet. */
  isTimelineKnown: boolean
  /** Time in Unix milliseconds since which no sum can have lost an amount. */
  completeSince: number
  /** Returns true for a digest whose charges were reserved earlier. */
  isPaid: (digest: Digest) => boolean
}

/**
 * Reads what a reservation depends on except for its sums. Also makes the transaction wait until it is on disk, whatever
 * the server's settings are.
 */
export async function readDatabaseState(
  db: Pick<Database, 'execute'>,
  digests: readonly Digest[],
): Promise<DatabaseState> {
  const rows = digests.map(({ pkpId, digest }) => ({ pkp_id: pkpId, digest }))
  const result = await db.execute(sql`
    SELECT extract(epoch FROM clock_timestamp()) * 1000 AS clock,
      EXISTS (SELECT FROM database_timelines WHERE timeline = ${TIMELINE}) AS known,
      (SELECT extract(epoch FROM max(complete_since)) * 1000 FROM database_timelines) AS since,
      ARRAY(
        SELECT paid.name FROM ${records(rows, 'pkp_id text, digest text')} CROSS JOIN LATERAL (
          -- The limit makes this a lookup for each digest. The planner would read the whole table, which grows faster
          -- than its statistics.
          SELECT s.pkp_id || s.digest AS name FROM policy_signatures s
          WHERE s.pkp_id = v.pkp_id AND s.digest = v.digest LIMIT 1
        ) paid
      ) AS paid,
      CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
        THEN set_config('synchronous_commit', 'on', true) END AS durable`)
  const [row] = (result as { rows: StateRow[] }).rows
  if (!row) throw new Error('a query without a table has no row')
  const paid = new Set(row.paid)
  return {
    clock: Number(row.clock),
    isTimelineKnown: row.known,
    completeSince: Number(row.since),
    isPaid: ({ pkpId, digest }) => paid.has(pkpId + digest),
  }
}

type StateRow = { clock: string; known: boolean; since: string; paid: string[] }

/** Returns true if the timeline was not recorded yet. */
export async function recordTimeline(db: Pick<Database, 'execute'>, now: number): Promise<boolean> {
  const at = new Date(now).toISOString()
  const result = await db.execute(sql`
    INSERT INTO database_timelines (timeline, complete_since)
    SELECT ${TIMELINE}, greatest(clock_timestamp(), ${at}::timestamptz)
    ON CONFLICT DO NOTHING
    RETURNING timeline`)
  return (result as { rows: unknown[] }).rows.length > 0
}
