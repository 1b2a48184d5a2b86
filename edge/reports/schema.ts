/**
 * Storage of the `UserReports` object of a user (`docs/storage.md`). All times are in Unix milliseconds. The object of a
 * user without reports has no tables.
 */
import { sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'
import { ALERT_CHANNEL_TYPES } from '../../shared/wire/alert-channel.ts'
import { ALERT_SIGNALS, DELIVERY_CHANNELS } from '../../shared/wire/alert.ts'

/** Triggers that have sent reports. */
export const reporters = sqliteTable('reporters', {
  triggerId: text('trigger_id').primaryKey(),
  /** `ReportBatch.epoch`. */
  epoch: integer('epoch').notNull(),
  /** Number of the last report of this epoch. */
  lastNumber: integer('last_number').notNull(),
})

/** Latest activity of the triggers that have runs. */
export const triggerActivity = sqliteTable('trigger_activity', {
  triggerId: text('trigger_id').primaryKey(),
  /** `ReportBatch.epoch`. */
  epoch: integer('epoch').notNull(),
  /** Highest sequence number of a run in `run_index`. */
  knownThrough: integer('known_through').notNull(),
  /** `TriggerActivity` as JSON. */
  activity: text('activity').notNull(),
})

/** Times at which runs were queued. Each row covers runs of one trigger in one hour (`run-index.ts`). */
export const runIndex = sqliteTable(
  'run_index',
  {
    triggerId: text('trigger_id').notNull(),
    /** Sequence numbers of the first and the last run. A segment has all runs in between. */
    first: integer('first').notNull(),
    last: integer('last').notNull(),
    /** Hours since the Unix epoch. */
    hour: integer('hour').notNull(),
    lastQueuedAt: integer('last_queued_at').notNull(),
    /** Milliseconds from the start of the hour to each run, as a JSON array. */
    offsets: text('offsets').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.triggerId, table.first] }),
    index('run_index_hour').on(table.hour, table.triggerId),
  ],
)

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
    /** `errorFingerprint` of the error. */
    fingerprint: text('fingerprint').notNull().default(''),
    /** ID of the latest bulk replay that includes the run. The suffix of the new run is derived from both IDs. */
    replayId: text('replay_id'),
    /** Suffix of the new run if the latest replay was an individual one. */
    replaySuffix: text('replay_suffix'),
  },
  (table) => [
    index('failed_runs_finished').on(table.finishedAt),
    index('failed_runs_fingerprint').on(table.fingerprint, table.finishedAt),
    uniqueIndex('failed_runs_run').on(table.triggerId, table.suffix),
    index('failed_runs_queued').on(table.queuedAt),
  ],
)

/** Bulk replays. They are retained for as long as failed runs are. */
export const replays = sqliteTable(
  'replays',
  {
    number: integer('number').primaryKey({ autoIncrement: true }),
    id: text('id').notNull().unique(),
    ownerId: text('owner_id').notNull(),
    code: text('code', { enum: ['original', 'current'] }).notNull(),
    perMinute: integer('per_minute').notNull(),
    includeReplayed: integer('include_replayed', { mode: 'boolean' }).notNull(),
    status: text('status', { enum: ['running', 'done', 'cancelled'] }).notNull(),
    /** Numbers of runs. The other counts add up to `selected` when the replay is finished. */
    selected: integer('selected').notNull(),
    replayed: integer('replayed').notNull().default(0),
    triggerDisabled: integer('trigger_disabled').notNull().default(0),
    triggerDeleted: integer('trigger_deleted').notNull().default(0),
    runDeleted: integer('run_deleted').notNull().default(0),
    queueFull: integer('queue_full').notNull().default(0),
    cancelled: integer('cancelled').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    createdAt: integer('created_at').notNull(),
    /** Time at which the next batch may be sent. */
    nextAt: integer('next_at').notNull(),
    finishedAt: integer('finished_at'),
    /** Idempotency-Key of the request that started the replay. The key counts for 24 hours. */
    idempotencyKey: text('idempotency_key'),
    /** Hash of that request (`replays/request-identity.ts`). */
    requestSha256: text('request_sha256'),
  },
  (table) => [
    index('replays_finished').on(table.finishedAt),
    index('replays_idempotency_key')
      .on(table.idempotencyKey)
      .where(sql`idempotency_key IS NOT NULL`),
  ],
)

/** Parts of bulk replays that are not done. A row is deleted in the transaction that counts its runs. */
export const replayBatches = sqliteTable(
  'replay_batches',
  {
    number: integer('number').primaryKey({ autoIncrement: true }),
    /** `replays.number`. */
    replay: integer('replay').notNull(),
    triggerId: text('trigger_id').notNull(),
    /** Run IDs without the trigger ID, as JSON. */
    suffixes: text('suffixes').notNull(),
    /** Set before the batch is sent. The trigger may have queued its runs from then on. */
    sending: integer('sending', { mode: 'boolean' }).notNull().default(false),
    failures: integer('failures').notNull().default(0),
    notBefore: integer('not_before').notNull().default(0),
    /** Time since which the trigger's queue has no room, or null. */
    waitingSince: integer('waiting_since'),
  },
  (table) => [index('replay_batches_replay').on(table.replay)],
)

/** Changes of the user's triggers, as a hash chain. Only the latest entries are kept. */
export const triggerLog = sqliteTable('trigger_log', {
  sequence: integer('sequence').primaryKey(),
  at: integer('at').notNull(),
  /** Hashed members of the entry, as JSON. */
  entry: text('entry').notNull(),
  /** JSON, without secrets. */
  details: text('details').notNull(),
  clientAddress: text('client_address'),
  clientAddressSalt: text('client_address_salt'),
  sha256: text('sha256').notNull(),
})

export const incidents = sqliteTable(
  'incidents',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** ID of the trigger. If the incident is not about a trigger, a colon and its subject, such as `:base`. */
    triggerId: text('trigger_id').notNull(),
    /** Name of the trigger at its last report. */
    triggerName: text('trigger_name').notNull(),
    signal: text('signal', { enum: ALERT_SIGNALS }).notNull(),
    openedAt: integer('opened_at').notNull(),
    lastAt: integer('last_at').notNull(),
    /** Null while the incident is open. */
    resolvedAt: integer('resolved_at'),
    /** Number of reports, such as failed runs. */
    count: integer('count').notNull(),
    /** Run IDs without the trigger ID. */
    firstRun: text('first_run'),
    lastRun: text('last_run'),
    code: text('code'),
    message: text('message'),
    /** Hash of the usage key or account that the incident is about, empty for other signals. */
    sharedHash: text('shared_hash').notNull().default(''),
    /** True until a mail about the incident is sent. */
    mailPending: integer('mail_pending', { mode: 'boolean' }).notNull().default(false),
  },
  (table) => [
    index('incidents_open')
      .on(table.triggerId, table.signal, table.sharedHash)
      .where(sql`resolved_at IS NULL`),
    index('incidents_mail')
      .on(table.id)
      .where(sql`mail_pending = 1`),
  ],
)

/** Facts of the origin's evidence at the last verification. One row, only while the user wants alerts about changes. */
export const verifiedOrigin = sqliteTable('verified_origin', {
  id: integer('id').primaryKey(),
  /** JSON of `OriginIdentity`. */
  identity: text('identity').notNull(),
  checkedAt: integer('checked_at').notNull(),
})

/** Settings of the account (with the scope `''`) and of single triggers. Null for the default. */
export const alertSettings = sqliteTable('alert_settings', {
  scope: text('scope').primaryKey(),
  /** JSON arrays. */
  signals: text('signals'),
  channels: text('channels'),
  muted: integer('muted', { mode: 'boolean' }).notNull().default(false),
  /**
   * JSON object with the thresholds that the user chose. The object of a trigger has a copy of those that it applies.
   */
  thresholds: text('thresholds'),
})

/** State of the usage keys of enabled triggers, if the user enabled alerts about it (`alerts/key-watch.ts`). */
export const watchedKeys = sqliteTable('watched_keys', {
  triggerId: text('trigger_id').primaryKey(),
  triggerName: text('trigger_name').notNull(),
  /** Null if the origin does not know the key, or cannot decrypt it. */
  keyHash: text('key_hash'),
  /** Null if the key does not expire. */
  expiresAt: integer('expires_at'),
  /** Null if no facts about the account were read. */
  accountHash: text('account_hash'),
  balanceCents: integer('balance_cents'),
  /** `declined` or `disputed`. Null if the account has no such payment. */
  paymentProblem: text('payment_problem'),
  checkedAt: integer('checked_at').notNull(),
})

/** Progress of the checks of usage keys, in a single row with ID 1. */
export const keyChecks = sqliteTable('key_checks', {
  id: integer('id').primaryKey(),
  /** Start of the pass in progress, or of the last one. */
  startedAt: integer('started_at').notNull(),
  isFinished: integer('is_finished', { mode: 'boolean' }).notNull(),
  /** Start of the last pass that reads all keys. Other passes read one key of each account. */
  fullAt: integer('full_at').notNull().default(0),
  /** True if the pass reads balances and failed payments, too. */
  withBalances: integer('with_balances', { mode: 'boolean' }).notNull().default(false),
  nextAt: integer('next_at').notNull(),
})

/** Channels that the user added. */
export const alertChannels = sqliteTable('alert_channels', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  type: text('type', { enum: ALERT_CHANNEL_TYPES }).notNull(),
  name: text('name').notNull(),
  /** The URL of a webhook, or the ID of a trigger. */
  target: text('target').notNull(),
  /** JSON arrays. Null for all. */
  signals: text('signals'),
  triggerIds: text('trigger_ids'),
  /** Encrypted secrets of a webhook, the current one first (`alerts/channel-secrets.ts`). */
  secrets: text('secrets'),
  /** Time at which the secret was replaced. The previous one signs for a day longer. */
  rotatedAt: integer('rotated_at'),
  /** Null if the channel is enabled. */
  disabled: text('disabled', { enum: ['owner', 'failing', 'gone'] }),
  /** Failed attempts since the last success, and the time of the first of them. */
  failures: integer('failures').notNull().default(0),
  failingSince: integer('failing_since'),
  succeededAt: integer('succeeded_at'),
  createdAt: integer('created_at').notNull(),
})

/** Incidents that an alert channel has not been sent yet. */
export const pendingAlerts = sqliteTable(
  'pending_alerts',
  { channelId: integer('channel_id').notNull(), incidentId: integer('incident_id').notNull() },
  (table) => [primaryKey({ columns: [table.channelId, table.incidentId] })],
)

/** Outbox of alerts, and their history. */
export const alertDeliveries = sqliteTable(
  'alert_deliveries',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    channel: text('channel', { enum: DELIVERY_CHANNELS }).notNull(),
    /** `alert_channels.id`. For a mail, the disabled channel that it is about. */
    channelId: integer('channel_id'),
    /** Random, the same in each attempt (`webhook-id`). Null for a mail. */
    messageId: text('message_id'),
    /** HTTP status of the last attempt of a webhook. */
    statusCode: integer('status_code'),
    test: integer('test', { mode: 'boolean' }).notNull(),
    /** JSON array. Empty for a test. */
    incidentIds: text('incident_ids').notNull(),
    state: text('state', { enum: ['pending', 'sent', 'failed'] }).notNull(),
    attempts: integer('attempts').notNull(),
    createdAt: integer('created_at').notNull(),
    /** Time of the next attempt, while the delivery is pending. */
    nextAt: integer('next_at').notNull(),
    endedAt: integer('ended_at'),
    /** Reason of the last failed attempt. */
    error: text('error'),
  },
  (table) => [
    index('alert_deliveries_pending')
      .on(table.nextAt)
      .where(sql`state = 'pending'`),
    index('alert_deliveries_ended').on(table.endedAt),
    index('alert_deliveries_channel').on(table.channelId, table.id),
  ],
)
