/**
 * Source of truth for one trigger and its runs, in its Durable Object (`docs/storage.md`). All times are in Unix
 * milliseconds. Each written row and each new index entry is charged, so they are few (`docs/scale.md`).
 */
import { sql } from 'drizzle-orm'
import { blob, index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { WaitingFor } from '../../shared/wire/trigger.ts'

/**
 * SQL conditions on `runs`. They are literals, because SQLite uses the partial index `runs_live` only if a query
 * repeats the WHERE clause of the index.
 */
export const LIVE = `status IN ('queued', 'running')`
export const QUEUED = `${LIVE} AND status = 'queued'`
export const RUNNING = `${LIVE} AND status = 'running'`

/**
 * SQL condition for runs that are due. `?1` is the current time. A run also counts as due if `requeued_at` is later
 * than `?2`, because the clock was set back.
 */
export const DUE = `(waiting_for IS NOT NULL OR next_attempt_at IS NULL OR next_attempt_at <= ?1 OR requeued_at > ?2)`

/** SQL condition on `run_keys` for queued runs that are not parked. A literal, as above. */
export const RUN_KEY_READY = 'state IN (1, 3)'

/** The trigger, as a single row with ID 1. */
export const trigger = sqliteTable('trigger', {
  id: integer('id').primaryKey(),
  triggerId: text('trigger_id').notNull(),
  ownerId: text('owner_id').notNull(),
  name: text('name').notNull(),
  kind: text('kind', { enum: ['webhook', 'schedule', 'chain_event'] }).notNull(),
  /** Without `addresses`, which are in `address_list`. */
  config: text('config').notNull(),
  enabled: integer('enabled', { mode: 'boolean' }).notNull(),
  maxRunsPerMinute: integer('max_runs_per_minute').notNull(),
  maxQueuedRuns: integer('max_queued_runs').notNull(),
  concurrency: integer('concurrency').notNull(),
  /** `TriggerOptions` as JSON, as sent by the owner. */
  options: text('options').notNull().default('{}'),
  revision: integer('revision').notNull(),
  /** ID of the `usage_keys` row with the key for new attempts. */
  usageKey: integer('usage_key').notNull().default(1),
  createdAt: integer('created_at').notNull(),
  updatedAt: integer('updated_at').notNull(),
  /**
   * Version of the trigger's record. It increases with each change, so that an older record never replaces a newer one
   * in the index.
   */
  version: integer('version').notNull().default(1),
  indexStale: integer('index_stale', { mode: 'boolean' }).notNull().default(false),
  indexCheckedAt: integer('index_checked_at').notNull().default(0),
  /**
   * Time at which the trigger was deleted, or null. The row of a deleted trigger remains until its index row is
   * removed.
   */
  removedAt: integer('removed_at'),
  /** Null if the service did not disable the trigger. */
  disabledReason: text('disabled_reason'),
  /** State before an operator suspended the trigger; null unless it is suspended. The owner cannot enable it then. */
  suspendedFrom: text('suspended_from', { enum: ['enabled', 'disabled'] }),
  /** Secrets of `options.source`, encrypted (`edge/sources/seal-secrets.ts`). Null without a source. */
  webhookSecret: text('webhook_secret'),
  /** `StoredRejections` as JSON. Null without a source. */
  rejections: text('rejections'),
  /** Consecutive runs that the origin refused with 401 or 403. `refusals_since` is the time of the first one. */
  refusals: integer('refusals').notNull().default(0),
  refusalsSince: integer('refusals_since'),
  /** Null if there is no outage. */
  originAwaySince: integer('origin_away_since'),
  /** What the owner was told the trigger waits for (`edge/queue/hold-reports.ts`). Null if nothing was reported. */
  reportedHold: text('reported_hold').$type<WaitingFor>(),
  /** Thresholds of the owner's alerts about this trigger, as shares. Null for the default. */
  failureRateThreshold: real('failure_rate_threshold'),
  queueShareThreshold: real('queue_share_threshold'),
  /** Nominal time. Null if no tick is pending. */
  nextTickAt: integer('next_tick_at'),
  /**
   * Highest sequence number that retention has deleted, or 0. Every higher number has a run, so the position of a run
   * in the history is computed by subtraction.
   */
  prunedThrough: integer('pruned_through').notNull().default(0),
  /** Chain events only: `SubscriptionState` as JSON. */
  watch: text('watch'),
  watchStale: integer('watch_stale', { mode: 'boolean' }).notNull().default(false),
  /** True if each unfinished run has a row in `run_keys`. */
  keyed: integer('keyed', { mode: 'boolean' }).notNull().default(false),
})

/**
 * `config.addresses` of a chain event, in a single row with ID 1. The row of the trigger, which changes with each
 * delivery of logs, would be rewritten with them.
 */
export const addressList = sqliteTable('address_list', {
  id: integer('id').primaryKey(),
  /** JSON array of 0x hex. */
  addresses: text('addresses').notNull(),
})

/**
 * Usage keys: the trigger's current key, and keys that queued or running runs still need. Each key is sealed to the
 * origin's storage key for this trigger and owner.
 */
export const sealedUsageKeys = sqliteTable('usage_keys', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  sealed: blob('sealed', { mode: 'buffer' }).notNull(),
})

/** A run executes the revision with which it was queued. */
export const revisions = sqliteTable('revisions', {
  revision: integer('revision').primaryKey({ autoIncrement: true }),
  actionCid: text('action_cid').notNull(),
  actionCode: text('action_code').notNull(),
  defaultParams: text('default_params').notNull(),
})

export const runs = sqliteTable(
  'runs',
  {
    /** Sequence number of the run, in order of arrival. */
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
    /**
     * Time at which the run was last requeued. If this time is in the future, the clock was set back, and the wait
     * counts as over.
     */
    requeuedAt: integer('requeued_at'),
    finishedAt: integer('finished_at'),
    /** Null if the run is not waiting for a resource. */
    waitingFor: text('waiting_for').$type<WaitingFor>(),
    /**
     * Usage key of an attempt that is running or has an unknown outcome. The origin claims runs per account, so the run
     * is retried with the same key, even if the trigger's key has changed.
     */
    usageKey: integer('usage_key'),
    /**
     * Time at which the run was last sent under `usage_key` without a response. The origin may have started the run, or
     * may still start it. Null if no attempt has an unknown outcome.
     */
    inDoubtSince: integer('in_doubt_since'),
    test: integer('test', { mode: 'boolean' }).notNull().default(false),
    replayOf: text('replay_of'),
    reorged: integer('reorged', { mode: 'boolean' }).notNull().default(false),
    /**
     * `RunResult` as JSON. Null until the run has finished, and if the result is stored in `results`. Storing it here
     * saves two row writes per run.
     */
    result: text('result'),
  },
  // The indexes are partial, because only queued, running and failed runs are searched by status, and failed runs are
  // few. An index of all runs would cost two writes per run.
  // `runs_live` contains all columns that the queue's queries need. In the table, these columns follow the body, so
  // SQLite would have to read through the body.
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

/** Parts of bodies that do not fit in one row. A part has at most 1 MiB. */
export const bodyParts = sqliteTable(
  'body_parts',
  {
    sequence: integer('sequence').notNull(),
    part: integer('part').notNull(),
    bytes: blob('bytes', { mode: 'buffer' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.sequence, table.part] })],
)

/**
 * Results of finished runs that do not fit in the row of the run, because the production platform rejects rows of over
 * 2 MB. Earlier versions stored all results here.
 */
export const results = sqliteTable('results', {
  sequence: integer('sequence').primaryKey(),
  /** `RunResult` as JSON. */
  result: text('result').notNull(),
})

/** Maps the delivery IDs of the last 24 hours to their runs, for deduplication (`options.dedup`). */
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

/** Counts of events by outcome, one row for each hour (`EventCounts`). */
export const eventCounts = sqliteTable('event_counts', {
  /** Hours since the Unix epoch. */
  hour: integer('hour').primaryKey(),
  filtered: integer('filtered').notNull(),
  filterErrors: integer('filter_errors').notNull(),
  keyErrors: integer('key_errors').notNull(),
  deduplicated: integer('deduplicated').notNull(),
  /** Name of an option, and the last error of its expression on an event. Null if there was none. */
  lastError: text('last_error'),
  lastErrorAt: integer('last_error_at'),
})

/** The rows are retained for as long as runs are. */
export const skippedTicks = sqliteTable('skipped_ticks', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  reason: text('reason', { enum: ['queue_full', 'missed'] }).notNull(),
  /** Number of skipped ticks. `scheduled_at` is the nominal time of the latest one. */
  count: integer('count').notNull(),
  scheduledAt: integer('scheduled_at').notNull(),
  recordedAt: integer('recorded_at').notNull(),
})

/**
 * Logs that have fired a run and whose blocks can still be reorganized. The rows prevent a repeated delivery of a log
 * from creating a second run.
 */
export const firedLogs = sqliteTable(
  'fired_logs',
  {
    suffix: text('suffix').primaryKey(),
    blockNumber: integer('block_number').notNull(),
    /**
     * True if the log is in a block of the chain. False after a reorg has removed the log, until another block contains
     * it.
     */
    onChain: integer('on_chain', { mode: 'boolean' }).notNull(),
  },
  (table) => [index('fired_logs_block').on(table.blockNumber)],
)

/** Reports that the object of the trigger's owner has not acknowledged yet (`docs/decisions/0127`). */
export const reports = sqliteTable('reports', {
  number: integer('number').primaryKey({ autoIncrement: true }),
  /** `Report` as JSON. */
  report: text('report').notNull(),
})

/** Keys of unfinished runs (`options.concurrency_key`, `options.order_key`). Empty unless `keyed` is set. */
export const runKeys = sqliteTable(
  'run_keys',
  {
    sequence: integer('sequence').primaryKey(),
    /** Name of the option and value of the expression. Null if the run may run beside any other. */
    key: text('key'),
    /** See `KEY_STATE`. */
    state: integer('state').notNull(),
  },
  (table) => [
    index('run_keys_key').on(table.key, table.state, table.sequence),
    index('run_keys_ready').on(table.sequence).where(sql.raw(RUN_KEY_READY)),
  ],
)

/** Queued runs that further events may join (`options.debounce_ms`, `options.batch`). */
export const collecting = sqliteTable(
  'collecting',
  {
    /** `batch`, or the debounce key. */
    key: text('key').primaryKey(),
    sequence: integer('sequence').notNull(),
    suffix: text('suffix').notNull(),
    revision: integer('revision').notNull(),
    openedAt: integer('opened_at').notNull(),
    /** No event joins the run from this time on. */
    dueAt: integer('due_at').notNull(),
    events: integer('events').notNull(),
    /** Number of the run's rows in `body_parts`, for a batch. */
    parts: integer('parts').notNull(),
    bytes: integer('bytes').notNull(),
  },
  (table) => [index('collecting_due').on(table.dueAt)],
)

/** Start times of runs, for the rate limit `max_runs_per_minute`. Rows older than the window are overwritten. */
export const starts = sqliteTable('starts', {
  id: integer('id').primaryKey(),
  at: integer('at').notNull(),
})
