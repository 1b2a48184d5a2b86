/**
 * Pages of a trigger's run history. The cost of a page depends on its size, not on its position. `queued_at` never
 * decreases with increasing sequence numbers, so times are found by binary search. Every sequence number above
 * `trigger.pruned_through` has a run, so the start of a page is computed from its offset by subtraction.
 */
import type { RunSearch } from '../../shared/wire/run-search.ts'
import type { RunStatus } from '../../shared/wire/trigger.ts'
import { QUEUED, RUNNING } from './schema.ts'

export type PageQuery = {
  limit: number
  /** With a status filter, each skipped run has to be read. */
  offset?: number | undefined
  /** Exclusive upper bound of the sequence numbers. */
  before?: number | undefined
  /** Inclusive lower bound of the sequence numbers. */
  from?: number | undefined
  status?: RunStatus | undefined
  /** Inclusive lower bound of the queue time, in Unix milliseconds. */
  since?: number | undefined
  /** Exclusive upper bound of the queue time, in Unix milliseconds. */
  until?: number | undefined
  search?: RunSearch | undefined
}

export type SizedRun = { sequence: number; bytes: number }

export type SizedRunPage = {
  /** Newest first. */
  runs: SizedRun[]
  /** Sequence number below which the next page starts. Null on the last page. */
  last: number | null
}

/** SQL conditions by status. The values are literals instead of parameters, so that SQLite uses the partial indexes. */
const STATUS: Record<RunStatus, string> = {
  queued: `AND ${QUEUED}`,
  running: `AND ${RUNNING}`,
  failed: `AND status = 'failed'`,
  success: `AND status = 'success'`,
}

type Sql = Pick<SqlStorage, 'exec'>

/** Reads a page of runs, newest first. */
export function readPage(sql: Sql, query: PageQuery, prunedThrough: number): SizedRunPage {
  const { limit, offset = 0, status } = query
  const bounds = boundsOf(sql)
  const since = query.since === undefined ? 0 : firstAt(sql, query.since, bounds)
  const from = Math.max(since, query.from ?? 0)
  const until = query.until === undefined ? bounds.last + 1 : firstAt(sql, query.until, bounds)
  const top = Math.min(until, query.before ?? until)
  const skipped = status === undefined ? Math.min(offset, Math.max(0, top - 1 - prunedThrough)) : 0
  // `octet_length` reads the size from the row header. `body_bytes` is stored after the body, so reading it would be
  // slower. The column `body` is null if the body is stored in parts.
  const found = sql
    .exec<SizedRun>(
      `SELECT sequence, coalesce(octet_length(body), body_bytes) AS bytes FROM runs WHERE sequence < ? AND sequence >= ? ${status ? STATUS[status] : ''}
       ORDER BY sequence DESC LIMIT ? OFFSET ?`,
      top - skipped,
      from,
      limit + 1,
      offset - skipped,
    )
    .toArray()
  return {
    runs: found.slice(0, limit),
    last: found.length > limit ? found[limit - 1]!.sequence : null,
  }
}

function boundsOf(sql: Sql): { first: number; last: number } {
  // SQLite finds the minimum or the maximum directly, but scans the whole table if one statement requests both.
  const { first } = sql.exec<SequenceBounds>('SELECT min(sequence) AS first FROM runs').one()
  const { last } = sql.exec<SequenceBounds>('SELECT max(sequence) AS last FROM runs').one()
  return { first: first ?? 1, last: last ?? 0 }
}

function firstAt(sql: Sql, time: number, { first, last }: { first: number; last: number }): number {
  let low = first
  let high = last + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    // If retention has deleted the run in the middle, the next run is used instead.
    const next = sql
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

type SequenceBounds = { first: number | null; last: number | null }
