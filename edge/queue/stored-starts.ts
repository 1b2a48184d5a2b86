import { START_WINDOW_MS, type StartLog } from './start-window.ts'

/** Start times of runs, stored on disk for as long as they count towards the rate limit. */
export class StoredStarts implements StartLog {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

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
