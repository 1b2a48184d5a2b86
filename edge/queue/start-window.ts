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

/** Start times of runs, stored on disk for as long as they count towards the rate limit. */
export class StoredStarts {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns the start times in ascending order. Replaces times later than `now` with `now`. */
  recent(now: number): number[] {
    const rows = this.#sql.exec<{ at: number }>(
      'SELECT at FROM starts WHERE at > ? ORDER BY at',
      now - START_WINDOW_MS,
    )
    const starts = rows.toArray().map(({ at }) => at)
    if (starts.length === 0 || starts.at(-1)! <= now) return starts
    // The times are also replaced on disk. Otherwise, each new incarnation of the object would count them for another
    // minute.
    this.#sql.exec('UPDATE starts SET at = ? WHERE at > ?', now, now)
    return starts.map((at) => Math.min(at, now))
  }

  add(now: number): void {
    this.#sql.exec('INSERT INTO starts (at) VALUES (?)', now)
  }

  remove(at: number): void {
    this.#sql.exec('DELETE FROM starts WHERE id = (SELECT id FROM starts WHERE at = ? LIMIT 1)', at)
  }

  prune(now: number): void {
    this.#sql.exec('DELETE FROM starts WHERE at <= ?', now - START_WINDOW_MS)
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
    let starts = this.#starts
    if (!starts || starts.at(-1)! > now) starts = this.#starts = this.#log.recent(now)
    while (starts.length > 0 && starts[0]! <= now - START_WINDOW_MS) starts.shift()
    return nextStartAt(starts, perMinute, now)
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
