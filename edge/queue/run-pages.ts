/**
 * Which runs a page of a history has. The cost of a page is that of its runs, however deep it lies: a run's
 * `queued_at` never decreases with its sequence, so that times are searched for by halves, and above
 * `trigger.pruned_through` every sequence has its run, so that an offset is subtracted instead of counted off.
 */
import type { RunStatus } from '../../shared/wire/trigger.ts'

export type PageQuery = {
  limit: number
  /** Runs to leave out first. With a status they are counted off, at the cost of each. */
  offset?: number | undefined
  /** Only runs below this sequence. */
  before?: number | undefined
  status?: RunStatus | undefined
  /** Queued at this time or later, Unix milliseconds. */
  since?: number | undefined
  /** Queued before this time. */
  until?: number | undefined
}

/** A run, and the bytes of its body. */
export type SizedRun = { sequence: number; bytes: number }

export type PageOfRuns = {
  /** Newest first. */
  runs: SizedRun[]
  /** Whether there are more below them. */
  more: boolean
}

/** Literals, no parameters: a partial index is used only where its own condition is seen to hold. */
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

  /** @param prunedThrough of the trigger's row */
  page(query: PageQuery, prunedThrough: number): PageOfRuns {
    const { limit, offset = 0, status } = query
    const ends = this.#ends()
    const from = query.since === undefined ? 0 : this.#firstAt(query.since, ends)
    const until = query.until === undefined ? ends.last + 1 : this.#firstAt(query.until, ends)
    const top = Math.min(until, query.before ?? until)
    const skipped =
      status === undefined ? Math.min(offset, Math.max(0, top - 1 - prunedThrough)) : 0
    // `octet_length` takes the size from the row's header, where `body_bytes` stands behind the body. A body in parts is null.
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
    // Two statements: SQLite looks up one end of a table at once, and for both it reads all of it.
    const { first } = this.#sql.exec<Ends>('SELECT min(sequence) AS first FROM runs').one()
    const { last } = this.#sql.exec<Ends>('SELECT max(sequence) AS last FROM runs').one()
    return { first: first ?? 1, last: last ?? 0 }
  }

  /** A sequence that every run of this time or later has at least, and no earlier one. */
  #firstAt(time: number, { first, last }: { first: number; last: number }): number {
    let low = first
    let high = last + 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      // Where retention left a gap, the next run stands for it.
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
