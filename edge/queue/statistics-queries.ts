import { HISTORY_RUNS_MAX } from '../../shared/limits.ts'
import { QUEUED, RUNNING } from './schema.ts'
import { OUTAGE_MAX_MS } from './stored-origin-breaker.ts'

export type FinishedRun = {
  status: 'success' | 'failed'
  /** Start time in Unix milliseconds. Null if the run never started. */
  startedAt: number | null
  finishedAt: number
}

/**
 * Maximum total body size of the runs that one query reads. SQLite stores a run's timestamps after its body, so each
 * query has to read through the bodies.
 */
const BYTES_MAX = 64 * 1024 * 1024

type Row = {
  status: string
  test: number
  queued_at: number
  bytes: number | null
  started_at: number | null
  finished_at: number | null
}

/**
 * Returns the runs that finished after `since`, newest first, without test runs. Stops early in a large history, so the result may be
 * incomplete.
 * @param since Unix milliseconds
 */
export function runsEndedSince(sql: SqlStorage, since: number): FinishedRun[] {
  const rows = sql.exec<Row>(
    `SELECT status, test, queued_at, octet_length(body) AS bytes, started_at, finished_at
     FROM runs ORDER BY sequence DESC LIMIT ?`,
    HISTORY_RUNS_MAX,
  )
  const ended: FinishedRun[] = []
  let bytes = 0
  for (const row of rows) {
    bytes += row.bytes ?? 0
    // Runs that were queued earlier are skipped, because a run waits for an unavailable origin for at most
    // `OUTAGE_MAX_MS`.
    if (row.queued_at < since - OUTAGE_MAX_MS || bytes > BYTES_MAX) break
    const { status, started_at: startedAt, finished_at: finishedAt } = row
    if (row.test || (status !== 'success' && status !== 'failed')) continue
    if (finishedAt !== null && finishedAt > since) ended.push({ status, startedAt, finishedAt })
  }
  return ended
}

export function ticksSkippedSince(sql: SqlStorage, since: number): number {
  const query = 'SELECT coalesce(sum(count), 0) AS skipped FROM skipped_ticks WHERE recorded_at > ?'
  return sql.exec<{ skipped: number }>(query, since).one().skipped
}

export function countLiveRuns(sql: SqlStorage): { running: number; oldestQueuedAt: number | null } {
  const { running } = sql
    .exec<{ running: number }>(`SELECT count(*) AS running FROM runs WHERE ${RUNNING}`)
    .one()
  const [oldest] = sql
    .exec<{ queued_at: number }>(
      `SELECT queued_at FROM runs WHERE ${QUEUED} ORDER BY sequence LIMIT 1`,
    )
    .toArray()
  return { running, oldestQueuedAt: oldest?.queued_at ?? null }
}
