/** The latest runs that are examined, and their total body size, so that one check takes a few milliseconds. */
const ROWS_MAX = 50
const BYTES_MAX = 4 * 1024 * 1024

const LATEST_RUNS = 5

/**
 * Returns true if the latest finished run failed, and at least half of the latest five did. Tests do not count. A
 * trigger stops failing with its first run that succeeds.
 */
export function isFailing(sql: Pick<SqlStorage, 'exec'>): boolean {
  // `runs_failed` answers this without reading runs.
  if (sql.exec(`SELECT 1 FROM runs WHERE status = 'failed' LIMIT 1`).toArray().length === 0)
    return false
  const rows = sql.exec<{ status: string; test: number; bytes: number | null }>(
    `SELECT status, test, octet_length(body) AS bytes FROM runs ORDER BY sequence DESC LIMIT ?`,
    ROWS_MAX,
  )
  const latest: string[] = []
  let bytes = 0
  for (const row of rows) {
    bytes += row.bytes ?? 0
    if (bytes > BYTES_MAX || latest.length === LATEST_RUNS) break
    if (!row.test && (row.status === 'success' || row.status === 'failed')) latest.push(row.status)
  }
  const failed = latest.filter((status) => status === 'failed').length
  return latest[0] === 'failed' && failed * 2 >= latest.length
}
