/** What the counters of a trigger are read from. */

export type CountedRun = {
  status: 'success' | 'failed'
  /** Null for a run that never started. */
  startedAt: number | null
  finishedAt: number
}

/** Rows that are looked at, and bytes of bodies: the times of a run stand behind its body, which is read through. */
const ROWS_MAX = 10_000
const BYTES_MAX = 64 * 1024 * 1024

/** A run may have waited this long before it ended: after it an origin that is away has been given up. */
const WAITED_MAX_MS = 24 * 60 * 60 * 1000

type Row = {
  status: string
  queued_at: number
  bytes: number | null
  started_at: number | null
  finished_at: number | null
}

/**
 * Runs that ended after a time, newest first; of a large history only its latest part.
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

/** Ticks that made no run and were recorded after a time. */
export function skippedSince(sql: SqlStorage, since: number): number {
  const query = 'SELECT coalesce(sum(count), 0) AS skipped FROM skipped_ticks WHERE recorded_at > ?'
  return sql.exec<{ skipped: number }>(query, since).one().skipped
}

/** Runs under way, and since when the first of those that wait was queued. */
export function liveRuns(sql: SqlStorage): { running: number; oldestQueuedAt: number | null } {
  // The condition of the partial index, literally.
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
