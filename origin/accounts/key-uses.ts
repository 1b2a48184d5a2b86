import { inArray, sql } from 'drizzle-orm'
import type { Database } from '../db/open.ts'
import { keyUses } from '../db/schema.ts'
import { fromDatabase } from '../db/database-unavailable.ts'

type KeyUsesOptions = { db: Database; now: () => number }

/** Maximum rows per SQL statement. PostgreSQL allows 65,535 parameters per statement, and each row uses two. */
const BATCH = 10_000

/** Buffers the times of last use, and writes them once a minute (`KEY_USES_FLUSH_MS`) and on shutdown. */
export class KeyUses {
  readonly #options: KeyUsesOptions
  /** Times of last use that no flush has started to write, by key hash, in Unix milliseconds. */
  #buffered = new Map<string, number>()
  #writing = new Map<string, number>()

  constructor(options: KeyUsesOptions) {
    this.#options = options
  }

  recordUse(keyHash: string): void {
    this.#buffered.set(keyHash, this.#options.now())
  }

  /**
   * Omits keys that were never used.
   * @throws {DatabaseUnavailableError}
   */
  async lastUsedAt(keyHashes: readonly string[]): Promise<Map<string, Date>> {
    const found = new Map<string, Date>()
    for (let from = 0; from < keyHashes.length; from += BATCH) {
      const some = keyHashes.slice(from, from + BATCH)
      const query = this.#options.db.select().from(keyUses).where(inArray(keyUses.keyHash, some))
      const rows = await fromDatabase(query)
      for (const row of rows) found.set(row.keyHash, row.usedAt)
    }
    for (const hash of keyHashes) {
      const fresh = this.#buffered.get(hash) ?? this.#writing.get(hash)
      if (fresh !== undefined && fresh > (found.get(hash)?.getTime() ?? 0))
        found.set(hash, new Date(fresh))
    }
    return found
  }

  /** If writing fails, the uses are buffered again for the next flush. */
  async flush(): Promise<void> {
    const uses = this.#buffered
    this.#buffered = new Map()
    this.#writing = uses
    const rows = [...uses].map(([keyHash, at]) => ({ keyHash, usedAt: new Date(at) }))
    try {
      for (let from = 0; from < rows.length; from += BATCH) {
        await this.#options.db
          .insert(keyUses)
          .values(rows.slice(from, from + BATCH))
          .onConflictDoUpdate({
            target: keyUses.keyHash,
            // Stores the later time, because another process may have recorded a more recent use.
            set: { usedAt: sql`greatest(${keyUses.usedAt}, excluded.used_at)` },
          })
      }
    } catch (error) {
      for (const [hash, at] of uses) if (!this.#buffered.has(hash)) this.#buffered.set(hash, at)
      throw error
    }
  }
}
