import { DELIVERY_KEPT_MS } from '../../shared/limits.ts'

/** Old ids that are cleared away at once: storage is busy for no longer than an insert takes. */
const CLEARED_AT_ONCE = 256

/** The delivery ids of the last 24 hours, each with the run that it had (`options.dedup`). */
export class Deliveries {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** The suffix of the run that a delivery made, if that is not too long ago. */
  runOf(key: string, now: number): string | undefined {
    const [found] = this.#sql
      .exec<{ suffix: string }>(
        'SELECT suffix FROM deliveries WHERE key = ? AND at >= ?',
        key,
        now - DELIVERY_KEPT_MS,
      )
      .toArray()
    return found?.suffix
  }

  /** The alarm's part: clears old ids away. @returns when there is more to do */
  tend(now: number): number | undefined {
    const oldest = this.#oldest()
    // Most triggers have none: they are not written to.
    if (oldest === null || oldest + DELIVERY_KEPT_MS >= now) return tooOldAt(oldest)
    this.#sql.exec(
      'DELETE FROM deliveries WHERE key IN (SELECT key FROM deliveries WHERE at < ? ORDER BY at LIMIT ?)',
      now - DELIVERY_KEPT_MS,
      CLEARED_AT_ONCE,
    )
    return tooOldAt(this.#oldest())
  }

  #oldest(): number | null {
    return this.#sql
      .exec<{ oldest: number | null }>('SELECT min(at) AS oldest FROM deliveries')
      .one().oldest
  }
}

function tooOldAt(at: number | null): number | undefined {
  return at === null ? undefined : at + DELIVERY_KEPT_MS + 1
}

/** Notes whose delivery a run is; to be called in the transaction that stores the run. */
export function recordDelivery(sql: SqlStorage, key: string, suffix: string, at: number): void {
  // One that is too old is written over.
  sql.exec('INSERT OR REPLACE INTO deliveries (key, suffix, at) VALUES (?, ?, ?)', key, suffix, at)
}
