export type FinishedRun = {
  status: 'success' | 'failed'
  /** Unix milliseconds. Null if the run never started. */
  startedAt: number | null
  finishedAt: number
}

/**
 * Limits of one query. SQLite stores a run's timestamps after its body, and must read through the body to reach them.
 */
const ROWS_MAX = 10_000
const BYTES_MAX = 64 * 1024 * 1024

/** Maximum time from queueing to finishing. A run that has waited this long for an unavailable origin fails. */
const QUEUED_MAX_MS = 24 * 60 * 60 * 1000

type Row = {
  status: string
  queued_at: number
  bytes: number | null
  started_at: number | null
  finished_at: number | null
}

/**
 * Newest first. Stops early in a large history, so the result may be incomplete.
 * @param since in Unix milliseconds
 */
export function runsEndedSince(sql: SqlStorage, since: number): FinishedRun[] {
  const rows = sql.exec<Row>(
    `SELECT status, queued_at, octet_length(body) AS bytes, started_at, finished_at
     FROM runs ORDER BY sequence DESC LIMIT ?`,
    ROWS_MAX,
  )
  const ended: FinishedRun[] = []
  let bytes = 0
  for (const row of rows) {
    bytes += row.bytes ?? 0
    if (row.queued_at < since - QUEUED_MAX_MS || bytes > BYTES_MAX) break
    const { status, started_at: startedAt, finished_at: finishedAt } = row
    if (status !== 'success' && status !== 'failed') continue
    if (finishedAt !== null && finishedAt > since) ended.push({ status, startedAt, finishedAt })
  }
  return ended
}

export function ticksSkippedSince(sql: SqlStorage, since: number): number {
  const query = 'SELECT coalesce(sum(count), 0) AS skipped FROM skipped_ticks WHERE recorded_at > ?'
  return sql.exec<{ skipped: number }>(query, since).one().skipped
}

export function countLiveRuns(sql: SqlStorage): { running: number; oldestQueuedAt: number | null } {
  // Repeats the WHERE clause of the partial index. Otherwise SQLite does not use the index.
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
