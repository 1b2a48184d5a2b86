/** Queries for a trigger's counters. */

export type CountedRun = {
  status: 'success' | 'failed'
  /** Null for a run that never started. */
  startedAt: number | null
  finishedAt: number
}

/**
 * Limits on the rows and body bytes to read. SQLite stores a run's timestamps after its body, and has to read through
 * the body to reach them.
 */
const ROWS_MAX = 10_000
const BYTES_MAX = 64 * 1024 * 1024

/** The longest time from queueing to finishing. After that, a run that waits for an unavailable origin fails. */
const WAITED_MAX_MS = 24 * 60 * 60 * 1000

type Row = {
  status: string
  queued_at: number
  bytes: number | null
  started_at: number | null
  finished_at: number | null
}

/**
 * Returns the runs that finished after a time, newest first. For a large history, returns only the latest part.
 * @param since Unix milliseconds
 */
export function endedSince(sql: SqlStorage, since: number): CountedRun[] {
  const rows = sql.exec<Row>(
    `SELECT status, queued_at, octet_length(body) AS bytes, started_at, finished_at
     FROM runs ORDER BY sequence DESC LIMIT ?`,
    ROWS_MAX,
  )
  const ended: CountedRun[] = []
  let bytes = 0
  for (const row of rows) {
    bytes += row.bytes ?? 0
    if (row.queued_at < since - WAITED_MAX_MS || bytes > BYTES_MAX) break
    const { status, started_at: startedAt, finished_at: finishedAt } = row
    if (status !== 'success' && status !== 'failed') continue
    if (finishedAt !== null && finishedAt > since) ended.push({ status, startedAt, finishedAt })
  }
  return ended
}

/** Returns the number of skipped ticks that were recorded after a time. */
export function skippedSince(sql: SqlStorage, since: number): number {
  const query = 'SELECT coalesce(sum(count), 0) AS skipped FROM skipped_ticks WHERE recorded_at > ?'
  return sql.exec<{ skipped: number }>(query, since).one().skipped
}

/** Returns the number of running runs, and when the oldest queued run was queued. */
export function liveRuns(sql: SqlStorage): { running: number; oldestQueuedAt: number | null } {
  // Repeats the WHERE clause of the partial index, so that SQLite uses it.
  const live = `FROM runs WHERE status IN ('queued', 'running')`
  const { running } = sql
    .exec<{ running: number }>(`SELECT count(*) AS running ${live} AND status = 'running'`)
    .one()
  const [oldest] = sql
    .exec<{ queued_at: number }>(
      `SELECT queued_at ${live} AND status = 'queued' ORDER BY sequence LIMIT 1`,
    )
    .toArray()
  return { running, oldestQueuedAt: oldest?.queued_at ?? null }
}
