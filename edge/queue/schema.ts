/**
 * The storage of one trigger's object: the truth of the trigger and of its runs (`docs/storage.md`). Times are
 * Unix milliseconds. What intake writes is one row; only a body of over 1 MiB takes more.
 */
import { sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** One row, id 1. */
export const trigger = sqliteTable('trigger', {
  id: integer('id').primaryKey(),
  triggerId: text('trigger_id').notNull(),
  ownerId: text('owner_id').notNull(),
  name: text('name').notNull(),
  kind: text('kind', { enum: ['webhook', 'schedule', 'chain_event'] }).notNull(),
  config: text('config').notNull(),
  enabled: integer('enabled', { mode: 'boolean' }).notNull(),
  maxRunsPerMinute: integer('max_runs_per_minute').notNull(),
  maxQueuedRuns: integer('max_queued_runs').notNull(),
  concurrency: integer('concurrency').notNull(),
  /** The revision that new runs execute. */
  revision: integer('revision').notNull(),
  /** The usage key, sealed to the origin's storage key for this trigger and owner. */
  sealedUsageKey: blob('sealed_usage_key', { mode: 'buffer' }).notNull(),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
})

/** Code and params as they once were: a run executes those it was queued with. */
export const revisions = sqliteTable('revisions', {
  revision: integer('revision').primaryKey({ autoIncrement: true }),
  actionCid: text('action_cid').notNull(),
  actionCode: text('action_code').notNull(),
  defaultParams: text('default_params').notNull(),
})

export const runs = sqliteTable(
  'runs',
  {
    /** Order of arrival. */
    sequence: integer('sequence').primaryKey(),
    /** The run's id without its trigger's: 12 bytes in base64url. */
    suffix: text('suffix').notNull().unique(),
    status: text('status', { enum: ['queued', 'running', 'success', 'failed'] }).notNull(),
    revision: integer('revision').notNull(),
    queuedAt: integer('queued_at').notNull(),
    /** What fired it, without the body: JSON of `Firing`. */
    firing: text('firing').notNull(),
    /** The body's bytes when they fit in one row, else null and `body_parts` has them. */
    body: blob('body', { mode: 'buffer' }),
    bodyBytes: integer('body_bytes').notNull(),
    attempt: integer('attempt').notNull(),
    startedAt: integer('started_at'),
    /** While it runs: when the object looks whether anybody still waits for its outcome. */
    leaseUntil: integer('lease_until'),
    nextAttemptAt: integer('next_attempt_at'),
    finishedAt: integer('finished_at'),
  },
  // Live runs alone are searched by state; an index over all would be written twice for every run.
  (table) => [
    index('runs_live')
      .on(table.status, table.sequence)
      .where(sql`status IN ('queued', 'running')`),
  ],
)

/** The bytes of a large body, at most 1 MiB a row. */
export const bodyParts = sqliteTable(
  'body_parts',
  {
    sequence: integer('sequence').notNull(),
    part: integer('part').notNull(),
    bytes: blob('bytes', { mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.sequence, table.part] })],
)

/** How runs ended: apart from their bodies, since production refuses a row of over 2 MB. */
export const results = sqliteTable('results', {
  sequence: integer('sequence').primaryKey(),
  /** JSON of `RunResult`. */
  result: text('result').notNull(),
})

/** When runs were started, for `max_runs_per_minute`: rows older than the window are dropped. */
export const starts = sqliteTable('starts', {
  id: integer('id').primaryKey(),
  at: integer('at').notNull(),
})
