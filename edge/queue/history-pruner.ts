import { RESULT_BYTES } from './run-result.ts'
import { LIVE } from './schema.ts'

/**
 * A finished run and its size. The size is read with `octet_length` from the row header. Reading the contents could
 * mean reading up to a gigabyte.
 */
export type OldRun = {
  sequence: number
  queuedAt: number
  /** Combined size of the body and the result. */
  bytes: number
}

/**
 * Number of stored revisions above which the search for unused revisions is never skipped. One revision takes up to
 * 1.25 MiB.
 */
export const REVISIONS_MAX = 16

const ENDED = `status IN ('success', 'failed')`

export class HistoryPruner {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  oldestEnded(above: number, limit: number): OldRun[] {
    return this.#sql
      .exec<OldRun>(
        `SELECT sequence, queued_at AS queuedAt,
           coalesce(octet_length(body), body_bytes) + ${RESULT_BYTES} AS bytes
         FROM runs WHERE ${ENDED} AND sequence > ? ORDER BY sequence LIMIT ?`,
        above,
        limit,
      )
      .toArray()
  }

  /**
   * Returns the number of stored runs. Reads only a few rows, unless many runs with sequence numbers up to
   * `prunedThrough` remain.
   */
  countRuns(prunedThrough: number): number {
    // Above the last deleted sequence number, every number has a run. Below it, only runs that were unfinished at the
    // time of the deletion remain.
    const last = this.#queryNumber('SELECT max(sequence) AS number FROM runs')
    const below = this.#queryNumber(
      'SELECT count(*) AS number FROM runs WHERE sequence <= ?',
      prunedThrough,
    )
    return Math.max(0, last - prunedThrough) + below
  }

  countUnfinished(): number {
    return this.#queryNumber(`SELECT count(*) AS number FROM runs WHERE ${LIVE}`)
  }

  endedBytes(): number {
    const bytes = `coalesce(octet_length(body), body_bytes) + ${RESULT_BYTES}`
    return this.#queryNumber(`SELECT sum(${bytes}) AS number FROM runs WHERE ${ENDED}`)
  }

  /** SQLite can determine this size without reading the data. */
  get databaseBytes(): number {
    return this.#sql.databaseSize
  }

  get isEmpty(): boolean {
    return this.#sql.exec('SELECT 1 FROM runs LIMIT 1').toArray().length === 0
  }

  drop(from: number, through: number): void {
    this.#sql.exec(`DELETE FROM runs WHERE ${ENDED} AND sequence BETWEEN ? AND ?`, from, through)
    for (const table of ['results', 'body_parts'])
      this.#sql.exec(
        `DELETE FROM ${table} WHERE sequence BETWEEN ? AND ? AND NOT EXISTS (
           SELECT 1 FROM runs WHERE runs.sequence = ${table}.sequence
         )`,
        from,
        through,
      )
  }

  dropRevisions(isNeeded: (revision: number) => boolean): void {
    const revisions = this.#queryRevisions('SELECT revision FROM revisions')
    // Newer runs use newer revisions, except for some replays. A revision older than that of the oldest run is
    // therefore probably unused, which makes a full search worthwhile.
    const first = 'SELECT revision FROM runs ORDER BY sequence LIMIT 1'
    const [oldest = Number.POSITIVE_INFINITY] = this.#queryRevisions(first)
    const isWorthIt =
      revisions.length > REVISIONS_MAX ||
      revisions.some((revision) => revision < oldest && !isNeeded(revision))
    if (!isWorthIt) return
    const inRuns = new Set(this.#queryRevisions('SELECT DISTINCT revision FROM runs'))
    for (const revision of revisions)
      if (!inRuns.has(revision) && !isNeeded(revision))
        this.#sql.exec('DELETE FROM revisions WHERE revision = ?', revision)
  }

  dropSkippedTicks(recordedBefore: number): void {
    this.#sql.exec('DELETE FROM skipped_ticks WHERE recorded_at < ?', recordedBefore)
  }

  #queryRevisions(query: string): number[] {
    const rows = this.#sql.exec<{ revision: number }>(query).toArray()
    return rows.map(({ revision }) => revision)
  }

  #queryNumber(query: string, ...values: number[]): number {
    return this.#sql.exec<{ number: number | null }>(query, ...values).one().number ?? 0
  }
}
