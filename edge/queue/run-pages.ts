/**
 * Selects the runs of a history page. The cost of a page depends on its own runs, however deep it is. A run's
 * `queued_at` never decreases with its sequence, so times are found by binary search. Above `trigger.pruned_through`
 * every sequence has a run, so an offset is subtracted instead of counted.
 */
import type { RunStatus } from '../../shared/wire/trigger.ts'

export type PageQuery = {
  limit: number
  /** The number of runs to skip. With a status filter, each skipped run has to be read. */
  offset?: number | undefined
  /** Only runs below this sequence. */
  before?: number | undefined
  status?: RunStatus | undefined
  /** Queued at or after this time, Unix milliseconds. */
  since?: number | undefined
  /** Queued before this time. */
  until?: number | undefined
}

/** A run and the size of its body in bytes. */
export type SizedRun = { sequence: number; bytes: number }

export type PageOfRuns = {
  /** Newest first. */
  runs: SizedRun[]
  more: boolean
}

/** Literals instead of parameters: SQLite uses a partial index only if the query repeats its WHERE clause. */
const STATUS: Record<RunStatus, string> = {
  queued: `AND status IN ('queued', 'running') AND status = 'queued'`,
  running: `AND status IN ('queued', 'running') AND status = 'running'`,
  failed: `AND status = 'failed'`,
  success: `AND status = 'success'`,
}

export class RunPages {
  readonly #sql: Pick<SqlStorage, 'exec'>

  constructor(sql: Pick<SqlStorage, 'exec'>) {
    this.#sql = sql
  }

  /** @param prunedThrough from the trigger's row */
  page(query: PageQuery, prunedThrough: number): PageOfRuns {
    const { limit, offset = 0, status } = query
    const ends = this.#ends()
    const from = query.since === undefined ? 0 : this.#firstAt(query.since, ends)
    const until = query.until === undefined ? ends.last + 1 : this.#firstAt(query.until, ends)
    const top = Math.min(until, query.before ?? until)
    const skipped =
      status === undefined ? Math.min(offset, Math.max(0, top - 1 - prunedThrough)) : 0
    // `octet_length` reads the size from the row header, while `body_bytes` is stored after the body. A body in parts
    // is null.
    const found = this.#sql
      .exec<SizedRun>(
        `SELECT sequence, coalesce(octet_length(body), body_bytes) AS bytes FROM runs WHERE sequence < ? AND sequence >= ? ${status ? STATUS[status] : ''}
         ORDER BY sequence DESC LIMIT ? OFFSET ?`,
        top - skipped,
        from,
        limit + 1,
        offset - skipped,
      )
      .toArray()
    return { runs: found.slice(0, limit), more: found.length > limit }
  }

  #ends(): { first: number; last: number } {
    // Two statements: SQLite looks up one end of a table directly, but reads the whole table for both.
    const { first } = this.#sql.exec<Ends>('SELECT min(sequence) AS first FROM runs').one()
    const { last } = this.#sql.exec<Ends>('SELECT max(sequence) AS last FROM runs').one()
    return { first: first ?? 1, last: last ?? 0 }
  }

  /** Returns a sequence that separates the runs queued before this time from the runs queued at or after it. */
  #firstAt(time: number, { first, last }: { first: number; last: number }): number {
    let low = first
    let high = last + 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      // If retention has left a gap here, the next run is used instead.
      const next = this.#sql
        .exec<{ sequence: number; queued_at: number }>(
          'SELECT sequence, queued_at FROM runs WHERE sequence >= ? ORDER BY sequence LIMIT 1',
          middle,
        )
        .one()
      if (next.queued_at >= time) high = middle
      else low = next.sequence + 1
    }
    return low
  }
}

type Ends = { first: number | null; last: number | null }
