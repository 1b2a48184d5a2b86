/**
 * Storage of a chain's watcher (`docs/storage.md`): recent blocks and logs, the subscriptions, and how far each of them
 * has been delivered. Hex is lower case. Invariants:
 *
 * - Stored blocks are linked: each is the child of the one before it, and the highest is `watch.through`.
 * - Logs belong to stored blocks. From a subscription's `covered_from` on, all matching logs of stored blocks are
 *   present.
 * - A watermark in `marks` is never above the last block that is final by its rule. A subscription without a row in
 *   `lanes` has received everything up to the watermark of its finality. Blocks above the lowest watermark are stored.
 * - `fired` contains each block, from the lowest stored one on, of which a trigger may have received logs.
 * - A notice is pending until the trigger acknowledges it. Logs of blocks above it are not delivered before it.
 */
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** A single row with id 1. */
export const watch = sqliteTable('watch', {
  id: integer('id').primaryKey(),
  /** The last block searched for logs; null before the first poll. */
  through: integer('through'),
  /** The latest head that an endpoint reported, and its time in Unix seconds. */
  head: integer('head'),
  headTimestamp: integer('head_timestamp'),
  safe: integer('safe'),
  finalized: integer('finalized'),
  /** Time at which an endpoint last reported a new block, in Unix milliseconds. */
  answeredAt: integer('answered_at'),
})

export const blocks = sqliteTable('blocks', {
  number: integer('number').primaryKey(),
  hash: text('hash').notNull(),
  parentHash: text('parent_hash').notNull(),
  timestamp: integer('timestamp').notNull(),
  logsBloom: text('logs_bloom').notNull(),
})

export const logs = sqliteTable(
  'logs',
  {
    blockNumber: integer('block_number').notNull(),
    logIndex: integer('log_index').notNull(),
    /** Address and first topic, the key for looking up subscriptions. */
    route: text('route').notNull(),
    /** JSON of `ChainLog`, or its beginning if it exceeds the size of a row. */
    log: text('log').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.blockNumber, table.logIndex] }),
    index('logs_route').on(table.route, table.blockNumber, table.logIndex),
  ],
)

/** The rest of logs that exceed the size of a row. Production rejects rows above 2 MB. */
export const logParts = sqliteTable(
  'log_parts',
  {
    blockNumber: integer('block_number').notNull(),
    logIndex: integer('log_index').notNull(),
    part: integer('part').notNull(),
    text: text('text').notNull(),
  },
  (table) => [primaryKey({ columns: [table.blockNumber, table.logIndex, table.part] })],
)

export const subscriptions = sqliteTable('subscriptions', {
  triggerId: text('trigger_id').primaryKey(),
  version: integer('version').notNull(),
  generation: integer('generation').notNull(),
  /** JSON of `LogFilter`. */
  filter: text('filter').notNull(),
  /** JSON of `Finality`, the key in `marks`. */
  finality: text('finality').notNull(),
  /** The first block of the live cursor. Once an adjacent backfill is complete, the first block of that backfill. */
  since: integer('since').notNull(),
  /** Null before the first poll. */
  coveredFrom: integer('covered_from'),
  /**
   * Time in Unix milliseconds. Ended subscriptions are kept for a while, so that a late call with an older version does
   * not restart them.
   */
  endedAt: integer('ended_at'),
})

/** Cursors that are not caught up: all backfills, and live cursors behind their watermark. */
export const lanes = sqliteTable(
  'lanes',
  {
    triggerId: text('trigger_id').notNull(),
    lane: text('lane', { enum: ['live', 'backfill'] }).notNull(),
    /** The first log that has not been delivered, or the position before it. */
    nextBlock: integer('next_block').notNull(),
    nextLogIndex: integer('next_log_index').notNull(),
    /** First and last block of a backfill. */
    fromBlock: integer('from_block'),
    toBlock: integer('to_block'),
  },
  (table) => [primaryKey({ columns: [table.triggerId, table.lane] })],
)

/** Watermarks: the block up to which the triggers of each finality have received logs. */
export const marks = sqliteTable('marks', {
  finality: text('finality').primaryKey(),
  block: integer('block').notNull(),
})

export const fired = sqliteTable(
  'fired',
  { triggerId: text('trigger_id').notNull(), blockNumber: integer('block_number').notNull() },
  (table) => [
    primaryKey({ columns: [table.triggerId, table.blockNumber] }),
    index('fired_block').on(table.blockNumber),
  ],
)

/** Pending reorg notices: blocks above this one were replaced. */
export const notices = sqliteTable(
  'notices',
  {
    serial: integer('serial').primaryKey({ autoIncrement: true }),
    triggerId: text('trigger_id').notNull(),
    above: integer('above').notNull(),
  },
  (table) => [index('notices_trigger').on(table.triggerId)],
)
