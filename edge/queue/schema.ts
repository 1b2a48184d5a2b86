/**
 * Source of truth for one trigger and its runs, in its Durable Object (`docs/storage.md`). All times are in Unix
 * milliseconds. Queueing a run writes one row, or more if its body exceeds 1 MiB.
 */
import { sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { WaitingFor } from '../../shared/wire/trigger.ts'

/**
 * SQL conditions on `runs`, as literals: SQLite uses the partial index `runs_live` only if a query repeats its WHERE
 * clause.
 */
export const LIVE = `status IN ('queued', 'running')`
export const QUEUED = `${LIVE} AND status = 'queued'`
export const RUNNING = `${LIVE} AND status = 'running'`

/** A single row with ID 1. */
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
  /** `TriggerOptions` as JSON, as sent by the owner. */
  options: text('options').notNull().default('{}'),
  /** Revision that new runs execute. */
  revision: integer('revision').notNull(),
  /** Row of `usage_keys` for new attempts. */
  usageKey: integer('usage_key').notNull().default(1),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  /** Increases with each change, so that an older record never replaces a newer one in the index. */
  version: integer('version').notNull().default(1),
  /** True if the index in D1 does not have the current version of the record yet. */
  indexStale: integer('index_stale', { mode: 'boolean' }).notNull().default(false),
  /** Last check that the index contains the trigger's row. */
  indexCheckedAt: integer('index_checked_at').notNull().default(0),
  /** The row of a deleted trigger is kept until its index row is removed. */
  removedAt: integer('removed_at'),
  /** Null if the service did not disable the trigger. */
  disabledReason: text('disabled_reason'),
  /** Consecutive runs that the origin refused with 401 or 403. `refusals_since` is the time of the first one. */
  refusals: integer('refusals').notNull().default(0),
  refusalsSince: integer('refusals_since'),
  /** Null if there is no outage. */
  originAwaySince: integer('origin_away_since'),
  /** Nominal time of a schedule's next tick. Null if no tick is pending. */
  nextTickAt: integer('next_tick_at'),
  /**
   * Highest sequence number that retention has deleted, or 0. Every higher number has a run, so the position of a run
   * in the history is computed by subtraction.
   */
  prunedThrough: integer('pruned_through').notNull().default(0),
  /** Chain events only: `SubscriptionState` as JSON. */
  watch: text('watch'),
  /** True if the chain's watcher does not have the current version of the subscription yet. */
  watchStale: integer('watch_stale', { mode: 'boolean' }).notNull().default(false),
})

/**
 * The trigger's current key, and the keys of runs in flight. Each key is sealed to the origin's storage key for this
 * trigger and owner.
 */
export const sealedUsageKeys = sqliteTable('usage_keys', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  sealed: blob('sealed', { mode: 'buffer' }).notNull(),
})

/** Code and default params. A run executes the revision with which it was queued. */
export const revisions = sqliteTable('revisions', {
  revision: integer('revision').primaryKey({ autoIncrement: true }),
  actionCid: text('action_cid').notNull(),
  actionCode: text('action_code').notNull(),
  defaultParams: text('default_params').notNull(),
})

export const runs = sqliteTable(
  'runs',
  {
    /** In order of arrival. */
    sequence: integer('sequence').primaryKey(),
    /** Run ID without the trigger ID: 12 bytes in base64url. */
    suffix: text('suffix').notNull().unique(),
    status: text('status', { enum: ['queued', 'running', 'success', 'failed'] }).notNull(),
    revision: integer('revision').notNull(),
    queuedAt: integer('queued_at').notNull(),
    /** `Firing` as JSON, without its body. */
    firing: text('firing').notNull(),
    /** Null if the body does not fit in one row, and is stored in `body_parts`. */
    body: blob('body', { mode: 'buffer' }),
    bodyBytes: integer('body_bytes').notNull(),
    attempt: integer('attempt').notNull(),
    startedAt: integer('started_at'),
    /** A running run with an expired lease counts as abandoned. */
    leaseUntil: integer('lease_until'),
    nextAttemptAt: integer('next_attempt_at'),
    /** If it is in the future, the clock was set back, and the wait counts as over. */
    requeuedAt: integer('requeued_at'),
    finishedAt: integer('finished_at'),
    /** Null if the run is not waiting for a resource. */
    waitingFor: text('waiting_for').$type<WaitingFor>(),
    /**
     * Set for an attempt that is running or has an unknown outcome. The origin claims runs per account, so the run is
     * retried with the same key, even if the trigger's key has changed.
     */
    usageKey: integer('usage_key'),
    /**
     * Time at which the run was last sent under `usage_key` without a response. The origin may have started the run, or
     * may still start it. Null if no attempt has an unknown outcome.
     */
    inDoubtSince: integer('in_doubt_since'),
    /** Created by `POST /api/triggers/<id>/test`. */
    test: integer('test', { mode: 'boolean' }).notNull().default(false),
    replayOf: text('replay_of'),
    /** True if the log that fired the run is no longer on the chain. */
    reorged: integer('reorged', { mode: 'boolean' }).notNull().default(false),
  },
  // Only queued, running and failed runs are searched by status. An index of all runs would cost two writes per run,
  // whereas failed runs are few.
  // `runs_live` contains all columns that the queue's queries need. In the table, those columns follow the body, so
  // SQLite would have to read through it.
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
      .where(sql.raw(LIVE)),
    index('runs_failed')
      .on(table.sequence)
      .where(sql`status = 'failed'`),
  ],
)

/** At most 1 MiB per part. */
export const bodyParts = sqliteTable(
  'body_parts',
  {
    sequence: integer('sequence').notNull(),
    part: integer('part').notNull(),
    bytes: blob('bytes', { mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.sequence, table.part] })],
)

/** Stored separately from the bodies, because production rejects rows of over 2 MB. */
export const results = sqliteTable('results', {
  sequence: integer('sequence').primaryKey(),
  /** `RunResult` as JSON. */
  result: text('result').notNull(),
})

/** Delivery IDs of the last 24 hours with their runs, for deduplication (`options.dedup`). */
export const deliveries = sqliteTable(
  'deliveries',
  {
    /** Name and value of the header that identifies the delivery. */
    key: text('key').primaryKey(),
    suffix: text('suffix').notNull(),
    at: integer('at').notNull(),
  },
  (table) => [index('deliveries_at').on(table.at)],
)

/** Schedule ticks that did not create a run. Kept for as long as runs are. */
export const skippedTicks = sqliteTable('skipped_ticks', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  reason: text('reason', { enum: ['queue_full', 'missed'] }).notNull(),
  /** Number of skipped ticks. The latest of them was scheduled for `scheduled_at`. */
  count: integer('count').notNull(),
  scheduledAt: integer('scheduled_at').notNull(),
  recordedAt: integer('recorded_at').notNull(),
})

/**
 * Logs that have fired a run. Kept while their blocks can be reorganized, so that a repeated delivery does not create a
 * second run.
 */
export const firedLogs = sqliteTable(
  'fired_logs',
  {
    suffix: text('suffix').primaryKey(),
    blockNumber: integer('block_number').notNull(),
    /** False if a reorg has removed the log from the chain, until another block contains the log. */
    onChain: integer('on_chain', { mode: 'boolean' }).notNull(),
  },
  (table) => [index('fired_logs_block').on(table.blockNumber)],
)

/** For the rate limit `max_runs_per_minute`. Rows older than the window are deleted. */
export const starts = sqliteTable('starts', {
  id: integer('id').primaryKey(),
  at: integer('at').notNull(),
})
