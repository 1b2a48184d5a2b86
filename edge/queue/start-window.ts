/** Sliding window for `max_runs_per_minute`: at most that many runs start in any 60 s (`docs/decisions/0070`). */
export const START_WINDOW_MS = 60_000

/**
 * Returns the earliest time for the next start: `now`, unless too many past starts are still in the window.
 * @param starts start times in ascending order, including at least those within the window
 */
export function nextStartAt(starts: readonly number[], perMinute: number, now: number): number {
  const oldest = starts[starts.length - perMinute]
  return oldest === undefined ? now : Math.max(now, oldest + START_WINDOW_MS)
}

/** Number of expired rows above which they are deleted when the object is loaded. */
const EXPIRED_ROWS_MAX = 100

/**
 * Start times of runs, stored on disk for as long as they count towards the rate limit. A start overwrites the row of a
 * start that no longer counts, so that each start costs one row write, and nothing has to be deleted.
 */
export class StoredStarts {
  readonly #sql: SqlStorage
  /** Oldest first. Undefined before the first read. */
  #rows: { id: number; at: number }[] | undefined
  #lastId = 0

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns the start times in ascending order. Replaces times later than `now` with `now`. */
  recent(now: number): number[] {
    const rows = this.#read(now)
    // The times are also replaced on disk. Otherwise, each new incarnation of the object would count them for another
    // minute.
    if (rows.length > 0 && rows.at(-1)!.at > now) {
      this.#sql.exec('UPDATE starts SET at = ? WHERE at > ?', now, now)
      for (const row of rows) row.at = Math.min(row.at, now)
    }
    return rows.map(({ at }) => at).filter((at) => at > now - START_WINDOW_MS)
  }

  add(now: number): void {
    const rows = this.#read(now)
    const isFree = rows.length > 0 && rows[0]!.at <= now - START_WINDOW_MS
    const id = isFree ? rows[0]!.id : this.#lastId + 1
    // An insert that was rolled back may have left its ID in memory.
    this.#sql.exec(
      'INSERT INTO starts (id, at) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at',
      id,
      now,
    )
    if (isFree) rows.shift()
    rows.push({ id, at: now })
    this.#lastId = Math.max(this.#lastId, id)
  }

  remove(at: number): void {
    const index = this.#rows?.findLastIndex((row) => row.at === at) ?? -1
    if (index < 0) return
    const [row] = this.#rows!.splice(index, 1)
    this.#rows!.unshift({ id: row!.id, at: 0 })
    this.#sql.exec('UPDATE starts SET at = 0 WHERE id = ?', row!.id)
  }

  #read(now: number): { id: number; at: number }[] {
    if (this.#rows) return this.#rows
    const query = 'SELECT id, at FROM starts ORDER BY at'
    const rows = this.#sql.exec<{ id: number; at: number }>(query).toArray()
    const expired = rows.findIndex(({ at }) => at > now - START_WINDOW_MS)
    const count = expired < 0 ? rows.length : expired
    if (count > EXPIRED_ROWS_MAX) {
      this.#sql.exec('DELETE FROM starts WHERE at <= ?', now - START_WINDOW_MS)
      rows.splice(0, count)
    }
    this.#lastId = rows.reduce((last, { id }) => Math.max(last, id), 0)
    return (this.#rows = rows)
  }
}

/**
 * Sliding window of start times. If the clock is set back, start times in the future are replaced with the current
 * time. These starts count for at most another minute, and the limit is not exceeded in any minute. If the clock is set
 * forward, the starts leave the window early, so each such step allows the full limit once more.
 */
export class StartWindow {
  readonly #log: Pick<StoredStarts, 'recent' | 'remove'>
  #starts: number[] | undefined

  constructor(log: Pick<StoredStarts, 'recent' | 'remove'>) {
    this.#log = log
  }

  allowedAt(perMinute: number, now: number): number {
    return nextStartAt(this.#current(now), perMinute, now)
  }

  /** Returns the number of starts that are allowed now. */
  room(perMinute: number, now: number): number {
    return Math.max(0, perMinute - this.#current(now).length)
  }

  #current(now: number): number[] {
    let starts = this.#starts
    if (!starts || starts.at(-1)! > now) starts = this.#starts = this.#log.recent(now)
    while (starts.length > 0 && starts[0]! <= now - START_WINDOW_MS) starts.shift()
    return starts
  }

  /** Must be called only when the window allows a start. */
  add(now: number): void {
    this.#starts?.push(now)
  }

  /**
   * Removes the start of a run that executed nothing. Starts with the same time are interchangeable. If the clock was
   * set back in the meantime, the recorded time may have been replaced, and the start stays in the window.
   */
  remove(at: number): void {
    this.#log.remove(at)
    const index = this.#starts?.lastIndexOf(at) ?? -1
    if (index >= 0) this.#starts!.splice(index, 1)
  }
}
