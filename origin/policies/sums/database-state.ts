import { sql } from 'drizzle-orm'
import type { Database } from '../../db/open.ts'
import { records } from './records.ts'

/**
 * Identifies a history of the database. Postgres starts a new timeline at a restore to an earlier time and at a
 * failover, and a new cluster, for example from a dump, has a new system identifier. The migration that creates the
 * table has the same expression.
 */
const TIMELINE = sql`(pg_control_system()).system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)`

export type Digest = { pkpId: string; digest: string }

export type DatabaseState = {
  /** The database's clock, in Unix milliseconds. */
  clock: number
  /** False if the database is on a timeline that is not recorded yet, so that sums may have lost amounts. */
  isTimelineKnown: boolean
  /** Unix time in milliseconds. Since then, no sum can have lost an amount. */
  completeSince: number
  /** Returns the hash of the policy under which the digest was reserved earlier. Undefined if it was not reserved. */
  paidUnder: (digest: Digest) => string | undefined
}

/**
 * Reads everything that a reservation depends on, except for its sums. Also makes the transaction's commit synchronous
 * if the server's settings do not.
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
          SELECT s.pkp_id || s.digest || s.policy_hash AS name FROM policy_signatures s
          WHERE s.pkp_id = v.pkp_id AND s.digest = v.digest LIMIT 1
        ) paid
      ) AS paid,
      CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
        THEN set_config('synchronous_commit', 'on', true) END AS durable`)
  const [row] = (result as { rows: StateRow[] }).rows
  if (!row) throw new Error('a query without a table has no row')
  const paid = new Map(
    row.paid.map((name) => [name.slice(0, -HASH_LENGTH), name.slice(-HASH_LENGTH)]),
  )
  return {
    clock: Number(row.clock),
    isTimelineKnown: row.known,
    completeSince: Number(row.since),
    paidUnder: ({ pkpId, digest }) => paid.get(pkpId + digest),
  }
}

/** Length of a hash as 0x hex. */
const HASH_LENGTH = 66

type StateRow = { clock: string; known: boolean; since: string; paid: string[] }

/** Records the current timeline. Returns true if it was not recorded yet. */
export async function recordTimeline(db: Pick<Database, 'execute'>, now: number): Promise<boolean> {
  const at = new Date(now).toISOString()
  const result = await db.execute(sql`
    INSERT INTO database_timelines (timeline, complete_since)
    SELECT ${TIMELINE}, greatest(clock_timestamp(), ${at}::timestamptz)
    ON CONFLICT DO NOTHING
    RETURNING timeline`)
  return (result as { rows: unknown[] }).rows.length > 0
}
