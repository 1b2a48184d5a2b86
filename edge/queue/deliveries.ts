import { DELIVERY_KEPT_MS } from '../../shared/limits.ts'

/** How many expired IDs are deleted at once. This occupies storage no longer than an insert. */
const CLEARED_AT_ONCE = 256

/** The delivery IDs of the last 24 hours, each with its run (`options.dedup`). */
export class Deliveries {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns the suffix of the run that a delivery created, unless the delivery ID has expired. */
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

  /**
   * Alarm task: deletes expired IDs.
   * @returns when the next ID expires
   */
  tend(now: number): number | undefined {
    const oldest = this.#oldest()
    // Most triggers have no delivery IDs, so no write is needed.
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

/** Records the run of a delivery. Call it in the transaction that stores the run. */
export function recordDelivery(sql: SqlStorage, key: string, suffix: string, at: number): void {
  // Replaces an expired ID.
  sql.exec('INSERT OR REPLACE INTO deliveries (key, suffix, at) VALUES (?, ?, ?)', key, suffix, at)
}
