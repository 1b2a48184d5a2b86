/**
 * Storage of the `UserReports` object of a user (`docs/storage.md`). All times are in Unix milliseconds. The object of a
 * user without reports has no tables.
 */
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** Triggers that have sent reports. */
export const reporters = sqliteTable('reporters', {
  triggerId: text('trigger_id').primaryKey(),
  /** `ReportBatch.epoch`. */
  epoch: integer('epoch').notNull(),
  /** Number of the last report of this epoch. */
  lastNumber: integer('last_number').notNull(),
})

/** Runs that failed after their last attempt. */
export const failedRuns = sqliteTable(
  'failed_runs',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    triggerId: text('trigger_id').notNull(),
    /** Run ID without the trigger ID. */
    suffix: text('suffix').notNull(),
    queuedAt: integer('queued_at').notNull(),
    finishedAt: integer('finished_at').notNull(),
    attempt: integer('attempt').notNull(),
    code: text('code').notNull(),
    message: text('message').notNull(),
    frame: text('frame'),
  },
  (table) => [
    uniqueIndex('failed_runs_run').on(table.triggerId, table.suffix),
    index('failed_runs_queued').on(table.queuedAt),
  ],
)
