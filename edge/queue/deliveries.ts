import { DELIVERY_RETENTION_MS } from '../../shared/limits.ts'

/** A step of this size blocks the storage no longer than an insert. */
const DELETE_BATCH_MAX = 256

/** Maps the delivery IDs of the last 24 hours to their runs, for deduplication (`options.dedup`). */
export class Deliveries {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns `undefined` if the delivery ID is unknown or expired. */
  findRun(key: string, now: number): string | undefined {
    const [found] = this.#sql
      .exec<{ suffix: string }>(
        'SELECT suffix FROM deliveries WHERE key = ? AND at >= ?',
        key,
        now - DELIVERY_RETENTION_MS,
      )
      .toArray()
    return found?.suffix
  }

  runDue(now: number): number | undefined {
    const oldest = this.#oldest()
    // Avoids the write if nothing has expired. Most triggers have no delivery IDs at all.
    if (oldest === null || oldest + DELIVERY_RETENTION_MS >= now) return expiryOf(oldest)
    this.#sql.exec(
      'DELETE FROM deliveries WHERE key IN (SELECT key FROM deliveries WHERE at < ? ORDER BY at LIMIT ?)',
      now - DELIVERY_RETENTION_MS,
      DELETE_BATCH_MAX,
    )
    return expiryOf(this.#oldest())
  }

  #oldest(): number | null {
    return this.#sql
      .exec<{ oldest: number | null }>('SELECT min(at) AS oldest FROM deliveries')
      .one().oldest
  }
}

function expiryOf(at: number | null): number | undefined {
  return at === null ? undefined : at + DELIVERY_RETENTION_MS + 1
}

/** Must be called in the transaction that stores the run. */
export function recordDelivery(sql: SqlStorage, key: string, suffix: string, at: number): void {
  // Replaces an expired row with the same delivery ID, if that row has not been deleted yet.
  sql.exec('INSERT OR REPLACE INTO deliveries (key, suffix, at) VALUES (?, ?, ?)', key, suffix, at)
}
