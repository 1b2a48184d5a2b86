import { and, desc, eq, gt } from 'drizzle-orm'
import { HOUR_MS } from '../../shared/durations.ts'
import type { QueueDatabase } from '../queue/run-store.ts'
import { skippedTicks } from '../queue/schema.ts'

/**
 * Time during which skipped ticks with the same reason share one row, so that a schedule that falls behind does not
 * fill the table.
 */
const MERGE_WINDOW_MS = HOUR_MS

type SkipReason = (typeof skippedTicks.$inferSelect)['reason']

export class SkippedTicks {
  readonly #db: QueueDatabase

  constructor(db: QueueDatabase) {
    this.#db = db
  }

  /** @param latest nominal time of the latest skipped tick, in Unix milliseconds */
  record(reason: SkipReason, { count, latest }: { count: number; latest: number }, now: number) {
    const since = and(
      eq(skippedTicks.reason, reason),
      gt(skippedTicks.recordedAt, now - MERGE_WINDOW_MS),
    )
    const row = this.#db
      .select()
      .from(skippedTicks)
      .where(since)
      .orderBy(desc(skippedTicks.id))
      .limit(1)
      .get()
    if (!row) {
      const values = { reason, count, scheduledAt: latest, recordedAt: now }
      this.#db.insert(skippedTicks).values(values).run()
      return
    }
    this.#db
      .update(skippedTicks)
      .set({ count: row.count + count, scheduledAt: latest })
      .where(eq(skippedTicks.id, row.id))
      .run()
  }
}
