/**
 * Index of the runs of all triggers of a user by time (`docs/decisions/0161`). It has only the times and sequence numbers
 * of runs; their records are in the objects of the triggers. A row is a segment: runs of one trigger with consecutive
 * sequence numbers that were queued in the same hour. Reports of a trigger append to its last segment, so that many runs
 * cost one row.
 */
import { HOUR_MS } from '../../shared/durations.ts'
import type { QueuedRuns } from './activity.ts'

/** Larger segments would cost more to append to. */
const SEGMENT_RUNS_MAX = 500

type Sql = Pick<SqlStorage, 'exec'>

export class RunIndex {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /**
   * Adds those of the runs that are new, and removes deleted ones. Runs with a gap to the known ones are not added.
   * @returns the highest sequence number that is known now
   */
  add(triggerId: string, runs: QueuedRuns, knownThrough: number): number {
    const { first, queuedAt, prunedThrough } = runs
    this.#sql.exec(
      'DELETE FROM run_index WHERE trigger_id = ? AND first <= ? AND last <= ?',
      triggerId,
      prunedThrough,
      prunedThrough,
    )
    const from = Math.max(knownThrough, prunedThrough) + 1
    if (first > from) return from - 1
    const times = queuedAt.slice(from - first)
    for (let at = 0; at < times.length;) at += this.#append(triggerId, from + at, times.slice(at))
    return from - 1 + times.length
  }

  /**
   * Returns false if a report has another time for the last known run. Sequence numbers then have started again, because
   * the trigger's history was empty in the meantime, or because an older copy of its storage was restored.
   */
  agreesWith(triggerId: string, runs: QueuedRuns, knownThrough: number): boolean {
    const { first, queuedAt, previousAt } = runs
    const reported = knownThrough === first - 1 ? previousAt : queuedAt[knownThrough - first]
    const [known] = this.#sql
      .exec<{ queuedAt: number }>(
        `SELECT hour * ${HOUR_MS} + (offsets ->> '$[#-1]') AS queuedAt FROM run_index
         WHERE trigger_id = ? AND last = ? ORDER BY first DESC LIMIT 1`,
        triggerId,
        knownThrough,
      )
      .toArray()
    return !known || (reported ?? known.queuedAt) === known.queuedAt
  }

  forget(triggerId: string): void {
    this.#sql.exec('DELETE FROM run_index WHERE trigger_id = ?', triggerId)
  }

  /** @returns the number of runs that fit the segment */
  #append(triggerId: string, first: number, times: readonly number[]): number {
    const hour = Math.floor(times[0]! / HOUR_MS)
    const [open] = this.#sql
      .exec<{ first: number; last: number; hour: number; offsets: string }>(
        'SELECT first, last, hour, offsets FROM run_index WHERE trigger_id = ? ORDER BY first DESC LIMIT 1',
        triggerId,
      )
      .toArray()
    const continued = open?.hour === hour && open.last === first - 1 ? open : undefined
    const room = SEGMENT_RUNS_MAX - (continued ? continued.last - continued.first + 1 : 0)
    if (room <= 0) return this.#write(triggerId, { first, hour, offsets: [] }, times)
    const offsets = continued ? (JSON.parse(continued.offsets) as number[]) : []
    return this.#write(triggerId, { first: continued?.first ?? first, hour, offsets }, times)
  }

  #write(
    triggerId: string,
    { first, hour, offsets }: { first: number; hour: number; offsets: number[] },
    times: readonly number[],
  ): number {
    const end = times.findIndex((time) => Math.floor(time / HOUR_MS) !== hour)
    const added = times
      .slice(0, end < 0 ? undefined : end)
      .slice(0, SEGMENT_RUNS_MAX - offsets.length)
    const all = [...offsets, ...added.map((time) => time - hour * HOUR_MS)]
    this.#sql.exec(
      `INSERT INTO run_index (trigger_id, first, last, hour, last_queued_at, offsets) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (trigger_id, first) DO UPDATE SET last = excluded.last,
         last_queued_at = excluded.last_queued_at, offsets = excluded.offsets`,
      triggerId,
      first,
      first + all.length - 1,
      hour,
      added.at(-1)!,
      JSON.stringify(all),
    )
    return added.length
  }
}

/** Runs are sorted by time, and then by trigger ID and sequence number, latest first. */
export type RunReference = { triggerId: string; sequence: number; queuedAt: number }

export type RunReferencesQuery = {
  limit: number
  /** Position of the last run of the previous page. */
  after?: RunReference | undefined
  triggerId?: string | undefined
  /** Inclusive lower bound of the queue time, in Unix milliseconds. */
  since?: number | undefined
  /** Exclusive upper bound of the queue time. */
  until?: number | undefined
}

export type RunReferences = {
  runs: RunReference[]
  /** False if older runs match. */
  isComplete: boolean
}

type Segment = { triggerId: string; first: number; hour: number; lastQueuedAt: number }

/** Reads hours from the latest on, and of each only the segments that can have one of the newest runs. */
export function readRunReferences(sql: Sql, query: RunReferencesQuery): RunReferences {
  const { limit, after, triggerId, since = 0, until = Number.MAX_SAFE_INTEGER } = query
  const top = Math.min(until - 1, after?.queuedAt ?? Number.MAX_SAFE_INTEGER)
  const runs: RunReference[] = []
  let below = Math.floor(top / HOUR_MS) + 1
  // Reads one extra run to determine whether there is a next page.
  while (runs.length <= limit) {
    const hour = latestHour(sql, below, triggerId)
    if (hour === undefined || (hour + 1) * HOUR_MS <= since) break
    const matches = (run: RunReference) =>
      run.queuedAt >= since && run.queuedAt <= top && (!after || compare(run, after) > 0)
    runs.push(...newestOf(sql, segmentsOf(sql, hour, triggerId), limit + 1 - runs.length, matches))
    below = hour
  }
  return { runs: runs.slice(0, limit), isComplete: runs.length <= limit }
}

function latestHour(sql: Sql, below: number, triggerId: string | undefined): number | undefined {
  const { hour } = sql
    .exec<{ hour: number | null }>(
      `SELECT max(hour) AS hour FROM run_index WHERE hour < ? ${triggerId ? 'AND trigger_id = ?' : ''}`,
      below,
      ...(triggerId ? [triggerId] : []),
    )
    .one()
  return hour ?? undefined
}

/** Returns the segments of an hour, those with the latest runs first. */
function segmentsOf(sql: Sql, hour: number, triggerId: string | undefined): Segment[] {
  return sql
    .exec<Segment>(
      `SELECT trigger_id AS triggerId, first, hour, last_queued_at AS lastQueuedAt FROM run_index
       WHERE hour = ? ${triggerId ? 'AND trigger_id = ?' : ''} ORDER BY last_queued_at DESC`,
      hour,
      ...(triggerId ? [triggerId] : []),
    )
    .toArray()
}

function newestOf(
  sql: Sql,
  segments: readonly Segment[],
  count: number,
  matches: (run: RunReference) => boolean,
): RunReference[] {
  let newest: RunReference[] = []
  let unsorted = 0
  const sort = () => {
    newest = newest.toSorted(compare).slice(0, count)
    unsorted = 0
  }
  for (const segment of segments) {
    // The remaining segments have only runs that are older than the newest ones found.
    if (newest.length >= count) {
      if (unsorted > 0) sort()
      if (newest.at(-1)!.queuedAt > segment.lastQueuedAt) break
    }
    const found = runsOf(sql, segment).filter(matches)
    newest.push(...found)
    unsorted += found.length
  }
  sort()
  return newest
}

function runsOf(sql: Sql, { triggerId, first, hour }: Segment): RunReference[] {
  const { offsets } = sql
    .exec<{ offsets: string }>(
      'SELECT offsets FROM run_index WHERE trigger_id = ? AND first = ?',
      triggerId,
      first,
    )
    .one()
  return (JSON.parse(offsets) as number[]).map((offset, at) => ({
    triggerId,
    sequence: first + at,
    queuedAt: hour * HOUR_MS + offset,
  }))
}

/** Returns a negative number if `one` comes before `other` on a page. */
function compare(one: RunReference, other: RunReference): number {
  if (one.queuedAt !== other.queuedAt) return other.queuedAt - one.queuedAt
  if (one.triggerId !== other.triggerId) return one.triggerId < other.triggerId ? 1 : -1
  return other.sequence - one.sequence
}
