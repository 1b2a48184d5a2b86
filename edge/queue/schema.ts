/**
 * The storage of one trigger's object: the truth of the trigger and of its runs (`docs/storage.md`). Times are
 * Unix milliseconds. What intake writes is one row; only a body of over 1 MiB takes more.
 */
import { sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { WaitingFor } from '../../shared/wire/trigger.ts'

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
  /** JSON of `TriggerOptions`, as the owner sent them. */
  options: text('options').notNull().default('{}'),
  /** The revision that new runs execute. */
  revision: integer('revision').notNull(),
  /** The key that new attempts use: a row of `usage_keys`. */
  usageKey: integer('usage_key').notNull().default(1),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  /** Rises with each change of the record: an older one never replaces a newer one in the index. */
  version: integer('version').notNull().default(1),
  /** The index in D1 has not been told of this version yet. */
  indexStale: integer('index_stale', { mode: 'boolean' }).notNull().default(false),
  /** When the object last looked whether the index has its row. */
  indexCheckedAt: integer('index_checked_at').notNull().default(0),
  /** Deleted: what is left of it is only waiting for the index to forget it. */
  removedAt: integer('removed_at'),
  /** Why the service, not the owner, disabled it. */
  disabledReason: text('disabled_reason'),
  /** Runs in a row that were refused with 401 or 403, and when the first was. */
  refusals: integer('refusals').notNull().default(0),
  refusalsSince: integer('refusals_since'),
  /** Since when the origin has answered no run. */
  originAwaySince: integer('origin_away_since'),
  /** Schedules: the nominal time of the next tick that was not fired yet. */
  nextTickAt: integer('next_tick_at'),
  /**
   * The last sequence that retention has deleted, 0 for none: above it there is a run for every sequence, so that the
   * place of a run in the history is a subtraction.
   */
  prunedThrough: integer('pruned_through').notNull().default(0),
  /** Chain events: JSON of `Watch`, what its chain's watcher is asked for. */
  watch: text('watch'),
  /** The watcher has not been told of this version yet. */
  watchStale: integer('watch_stale', { mode: 'boolean' }).notNull().default(false),
})

/** Usage keys, each sealed to the origin's storage key for this trigger and owner: today's, and those of runs under way. */
export const usageKeys = sqliteTable('usage_keys', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  sealed: blob('sealed', { mode: 'buffer' }).notNull(),
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
    /** When it was put back into the queue: a wait that began later than now is over, the clock was set back. */
    requeuedAt: integer('requeued_at'),
    finishedAt: integer('finished_at'),
    /** Why a queued run waits for something other than its turn. */
    waitingFor: text('waiting_for').$type<WaitingFor>(),
    /**
     * The key that an attempt was sent with whose end is not known: claims are of account and run, so it is asked
     * for again with the same key, whatever the trigger's is by then.
     */
    usageKey: integer('usage_key'),
    /** When it was last sent under that key without an answer: the origin may have begun it, or begin it yet. */
    inDoubtSince: integer('in_doubt_since'),
    /** Fired by `POST /api/triggers/<id>/test`. */
    test: integer('test', { mode: 'boolean' }).notNull().default(false),
    /** The id of the run that this one repeats. */
    replayOf: text('replay_of'),
    /** Its log is no longer on the chain. */
    reorged: integer('reorged', { mode: 'boolean' }).notNull().default(false),
  },
  // Live runs alone are searched by state; an index over all would be written twice for every run. Failures are few.
  // SQLite takes it for queries alone that repeat its condition word for word. It has all that the queue is searched
  // for: in the row that stands behind the body, and costs a read of all of it.
  (table) => [
    index('runs_live')
      .on(
        table.status,
        table.sequence,
        table.nextAttemptAt,
        table.requeuedAt,
        table.waitingFor,
        table.usageKey,
        table.bodyBytes,
        table.revision,
      )
      .where(sql`status IN ('queued', 'running')`),
    index('runs_failed')
      .on(table.sequence)
      .where(sql`status = 'failed'`),
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

/** Delivery ids of the last 24 hours, for `options.dedup`, and the run that each had. */
export const deliveries = sqliteTable(
  'deliveries',
  {
    /** The header's name and value. */
    key: text('key').primaryKey(),
    suffix: text('suffix').notNull(),
    at: integer('at').notNull(),
  },
  (table) => [index('deliveries_at').on(table.at)],
)

/** Ticks of a schedule that made no run, for as long as runs are kept. */
export const skippedTicks = sqliteTable('skipped_ticks', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  reason: text('reason', { enum: ['queue_full', 'missed'] }).notNull(),
  /** How many ticks, the latest of them at `scheduledAt`. */
  count: integer('count').notNull(),
  scheduledAt: integer('scheduled_at').notNull(),
  recordedAt: integer('recorded_at').notNull(),
})

/** Logs that made a run, for as long as their blocks may be taken back: told again, none makes a second one. */
export const firedLogs = sqliteTable(
  'fired_logs',
  {
    suffix: text('suffix').primaryKey(),
    blockNumber: integer('block_number').notNull(),
    /** False after its block was taken back, until a block has it again. */
    onChain: integer('on_chain', { mode: 'boolean' }).notNull(),
  },
  (table) => [index('fired_logs_block').on(table.blockNumber)],
)

/** When runs were started, for `max_runs_per_minute`: rows older than the window are dropped. */
export const starts = sqliteTable('starts', {
  id: integer('id').primaryKey(),
  at: integer('at').notNull(),
})
