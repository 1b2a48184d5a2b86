import { DELIVERY_RETENTION_MS } from '../../shared/limits.ts'

/** Expired delivery IDs to delete in one step. This occupies storage no longer than an insert. */
const DELETE_BATCH_MAX = 256

/** Delivery IDs of the last 24 hours with their runs, for deduplication (`options.dedup`). */
export class Deliveries {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** `undefined` if the delivery ID is unknown or expired. */
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

  /** Alarm task: deletes expired delivery IDs. */
  runDue(now: number): number | undefined {
    const oldest = this.#oldest()
    // Most triggers have no delivery IDs at all, and need no write.
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
  // The row may still exist with an expired delivery ID.
  sql.exec('INSERT OR REPLACE INTO deliveries (key, suffix, at) VALUES (?, ?, ?)', key, suffix, at)
}
