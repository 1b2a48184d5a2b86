/**
 * The storage of one trigger's object: the source of truth for the trigger and its runs (`docs/storage.md`). Times are
 * Unix milliseconds. Intake writes one row per run, and more only for a body over 1 MiB.
 */
import { sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { WaitingFor } from '../../shared/wire/trigger.ts'

/** A single row with id 1. */
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
  /** JSON of `TriggerOptions`, as sent by the owner. */
  options: text('options').notNull().default('{}'),
  /** The revision that new runs execute. */
  revision: integer('revision').notNull(),
  /** The key for new attempts: a row of `usage_keys`. */
  usageKey: integer('usage_key').notNull().default(1),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  /** Grows with each change of the record, so that an older record never replaces a newer one in the index. */
  version: integer('version').notNull().default(1),
  /** The index in D1 does not have this version yet. */
  indexStale: integer('index_stale', { mode: 'boolean' }).notNull().default(false),
  /** When the object last checked that the index has its row. */
  indexCheckedAt: integer('index_checked_at').notNull().default(0),
  /** When the trigger was deleted. The row is kept until the index row is removed. */
  removedAt: integer('removed_at'),
  /** The reason why the service disabled the trigger. Null if the owner disabled it. */
  disabledReason: text('disabled_reason'),
  /** The number of consecutive runs refused with 401 or 403, and when the first one was refused. */
  refusals: integer('refusals').notNull().default(0),
  refusalsSince: integer('refusals_since'),
  /** When the current outage of the origin started. */
  originAwaySince: integer('origin_away_since'),
  /** Schedules: the nominal time of the next tick to fire. */
  nextTickAt: integer('next_tick_at'),
  /**
   * The last sequence that retention has deleted, or 0. Above it every sequence has a run, so the position of a run in
   * the history is a subtraction.
   */
  prunedThrough: integer('pruned_through').notNull().default(0),
  /** Chain events: JSON of `Watch`, the trigger's subscription with its chain's watcher. */
  watch: text('watch'),
  /** The watcher does not have this version yet. */
  watchStale: integer('watch_stale', { mode: 'boolean' }).notNull().default(false),
})

/**
 * Usage keys, each sealed to the origin's storage key for this trigger and owner: the current one, and those of runs in
 * flight.
 */
export const usageKeys = sqliteTable('usage_keys', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  sealed: blob('sealed', { mode: 'buffer' }).notNull(),
})

/** Versions of the code and params. A run executes the revision that it was queued with. */
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
    /** The run ID without the trigger ID: 12 bytes in base64url. */
    suffix: text('suffix').notNull().unique(),
    status: text('status', { enum: ['queued', 'running', 'success', 'failed'] }).notNull(),
    revision: integer('revision').notNull(),
    queuedAt: integer('queued_at').notNull(),
    /** The event that fired the run, without the body: JSON of `Firing`. */
    firing: text('firing').notNull(),
    /** The body if it fits in one row. Otherwise null, and `body_parts` contains it. */
    body: blob('body', { mode: 'buffer' }),
    bodyBytes: integer('body_bytes').notNull(),
    attempt: integer('attempt').notNull(),
    startedAt: integer('started_at'),
    /** Set while the run is running. If the lease expires, the run counts as abandoned. */
    leaseUntil: integer('lease_until'),
    nextAttemptAt: integer('next_attempt_at'),
    /** When the run was requeued. If this is in the future, the clock was set back, and the wait is over. */
    requeuedAt: integer('requeued_at'),
    finishedAt: integer('finished_at'),
    /** Why a queued run is waiting, if not only for its turn. */
    waitingFor: text('waiting_for').$type<WaitingFor>(),
    /**
     * The key of an attempt with an unknown outcome. Claims are per account and run, so the run is sent again with the
     * same key, even if the trigger's key has changed.
     */
    usageKey: integer('usage_key'),
    /**
     * When the run was last sent under that key without a response. The origin may have started it, or may still start
     * it.
     */
    inDoubtSince: integer('in_doubt_since'),
    /** Created by `POST /api/triggers/<id>/test`. */
    test: integer('test', { mode: 'boolean' }).notNull().default(false),
    replayOf: text('replay_of'),
    /** The run's log is no longer on the chain. */
    reorged: integer('reorged', { mode: 'boolean' }).notNull().default(false),
  },
  // Only live and failed runs are searched by status. An index of all runs would cost two writes per run; failed runs
  // are few. SQLite uses a partial index only if the query repeats its WHERE clause. `runs_live` contains all columns
  // that queue queries need: in the table they follow the body, which would have to be read.
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

/** The bytes of a large body, at most 1 MiB per row. */
export const bodyParts = sqliteTable(
  'body_parts',
  {
    sequence: integer('sequence').notNull(),
    part: integer('part').notNull(),
    bytes: blob('bytes', { mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.sequence, table.part] })],
)

/** The results of runs, stored apart from the bodies because production rejects rows of over 2 MB. */
export const results = sqliteTable('results', {
  sequence: integer('sequence').primaryKey(),
  /** JSON of `RunResult`. */
  result: text('result').notNull(),
})

/** The delivery IDs of the last 24 hours, for `options.dedup`, each with its run. */
export const deliveries = sqliteTable(
  'deliveries',
  {
    /** The name and value of the header. */
    key: text('key').primaryKey(),
    suffix: text('suffix').notNull(),
    at: integer('at').notNull(),
  },
  (table) => [index('deliveries_at').on(table.at)],
)

/** Ticks of a schedule that created no run, kept for as long as runs. */
export const skippedTicks = sqliteTable('skipped_ticks', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  reason: text('reason', { enum: ['queue_full', 'missed'] }).notNull(),
  /** The number of ticks; the latest of them was at `scheduledAt`. */
  count: integer('count').notNull(),
  scheduledAt: integer('scheduled_at').notNull(),
  recordedAt: integer('recorded_at').notNull(),
})

/** Logs that fired a run, kept while their blocks can be reorganized: a repeated delivery creates no second run. */
export const firedLogs = sqliteTable(
  'fired_logs',
  {
    suffix: text('suffix').primaryKey(),
    blockNumber: integer('block_number').notNull(),
    /** False after a reorg has removed the log from the chain, until another block contains it. */
    onChain: integer('on_chain', { mode: 'boolean' }).notNull(),
  },
  (table) => [index('fired_logs_block').on(table.blockNumber)],
)

/** Start times of runs, for `max_runs_per_minute`. Rows older than the window are deleted. */
export const starts = sqliteTable('starts', {
  id: integer('id').primaryKey(),
  at: integer('at').notNull(),
})
