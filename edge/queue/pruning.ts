/**
 * What retention reads and deletes. Sizes are read with `octet_length`, which finds them in the head of a row: the
 * bytes themselves, a gigabyte of them perhaps, are not touched.
 */
export type OldRun = {
  sequence: number
  queuedAt: number
  /** Of the body and of the result. */
  bytes: number
}

/** Of more revisions than this each is looked for: one takes up to 1.25 MiB. */
export const REVISIONS_MAX = 16

const ENDED = `status IN ('success', 'failed')`
const LIVE = `status IN ('queued', 'running')`

export class Pruning {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Ended runs above a sequence, the oldest first. */
  oldest(above: number, limit: number): OldRun[] {
    return this.#sql
      .exec<OldRun>(
        `SELECT sequence, queued_at AS queuedAt,
           coalesce(octet_length(body), body_bytes) + coalesce(
             (SELECT octet_length(result) FROM results WHERE results.sequence = runs.sequence), 0
           ) AS bytes
         FROM runs WHERE ${ENDED} AND sequence > ? ORDER BY sequence LIMIT ?`,
        above,
        limit,
      )
      .toArray()
  }

  /** How many runs there are. Few rows are read for it, unless many are left from before the last deletion. */
  runs(prunedThrough: number): number {
    // Above the last deleted sequence every one has its run; below it are those that were unfinished then.
    const last = this.#number('SELECT max(sequence) AS number FROM runs')
    const below = this.#number(
      'SELECT count(*) AS number FROM runs WHERE sequence <= ?',
      prunedThrough,
    )
    return Math.max(0, last - prunedThrough) + below
  }

  unfinished(): number {
    return this.#number(`SELECT count(*) AS number FROM runs WHERE ${LIVE}`)
  }

  /** Bytes of the bodies and results of all runs that have ended. */
  endedBytes(): number {
    const bodies = `SELECT sum(coalesce(octet_length(body), body_bytes)) AS number FROM runs WHERE ${ENDED}`
    return (
      this.#number(bodies) + this.#number('SELECT sum(octet_length(result)) AS number FROM results')
    )
  }

  /** Bytes of the whole database, without reading it. */
  get databaseBytes(): number {
    return this.#sql.databaseSize
  }

  get isEmpty(): boolean {
    return this.#sql.exec('SELECT 1 FROM runs LIMIT 1').toArray().length === 0
  }

  /** Deletes the ended runs from one sequence to another, both included, with all that belongs to them. */
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

  /** Deletes the revisions that no run has, but for those that are still needed. */
  dropRevisions(isNeeded: (revision: number) => boolean): void {
    const revisions = this.#revisions('SELECT revision FROM revisions')
    // Runs have rising revisions, but for some replays: without all of them it is seen whether any has had its time.
    const first = 'SELECT revision FROM runs ORDER BY sequence LIMIT 1'
    const [oldest = Number.POSITIVE_INFINITY] = this.#revisions(first)
    const isWorthIt =
      revisions.length > REVISIONS_MAX ||
      revisions.some((revision) => revision < oldest && !isNeeded(revision))
    if (!isWorthIt) return
    const inRuns = new Set(this.#revisions('SELECT DISTINCT revision FROM runs'))
    for (const revision of revisions)
      if (!inRuns.has(revision) && !isNeeded(revision))
        this.#sql.exec('DELETE FROM revisions WHERE revision = ?', revision)
  }

  /** Deletes what was noted of ticks that made no run. */
  dropSkippedTicks(recordedBefore: number): void {
    this.#sql.exec('DELETE FROM skipped_ticks WHERE recorded_at < ?', recordedBefore)
  }

  #revisions(query: string): number[] {
    const rows = this.#sql.exec<{ revision: number }>(query).toArray()
    return rows.map(({ revision }) => revision)
  }

  #number(query: string, ...values: number[]): number {
    return this.#sql.exec<{ number: number | null }>(query, ...values).one().number ?? 0
  }
}
