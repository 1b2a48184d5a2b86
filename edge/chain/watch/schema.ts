/**
 * Storage of a chain's watcher (`docs/storage.md`). Hex values are lower case. Invariants:
 * - Stored blocks are linked: each block is the child of the previous one, and the highest is `watch.through`.
 * - Logs belong to stored blocks. From a subscription's `covered_from` on, all matching logs of stored blocks are
 *   present.
 * - A watermark in `marks` is never above the latest finalized block for its finality. A subscription without a row in
 *   `lanes` has received all logs up to the watermark of its finality. Blocks above the lowest watermark are stored.
 * - `fired` contains each block, from the lowest stored block on, from which a trigger may have received logs.
 * - A reorg notice is pending until the trigger acknowledges it. Logs of blocks above the block in the notice are not
 *   delivered before the notice.
 */
import { blob, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** State of the watcher, in a single row with ID 1. */
export const watch = sqliteTable('watch', {
  id: integer('id').primaryKey(),
  /** Last block that was searched for logs. Null before the first poll. */
  through: integer('through'),
  /** Last reported head. `headTimestamp` is in Unix seconds. */
  head: integer('head'),
  headTimestamp: integer('head_timestamp'),
  safe: integer('safe'),
  finalized: integer('finalized'),
  /** Time at which a new head was last reported, in Unix milliseconds. */
  answeredAt: integer('answered_at'),
})

export const blocks = sqliteTable('blocks', {
  number: integer('number').primaryKey(),
  hash: text('hash').notNull(),
  parentHash: text('parent_hash').notNull(),
  timestamp: integer('timestamp').notNull(),
  logsBloom: text('logs_bloom').notNull(),
})

/** Logs of the stored blocks, and marks of blocks (`block-mark.ts`). */
export const logs = sqliteTable(
  'logs',
  {
    blockNumber: integer('block_number').notNull(),
    logIndex: integer('log_index').notNull(),
    /** Key by which subscriptions are looked up: the log's address and first topic. */
    route: text('route').notNull(),
    /** JSON of the `ChainLog`, or its first part if it exceeds the size of a row. */
    log: text('log').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.blockNumber, table.logIndex] }),
    index('logs_route').on(table.route, table.blockNumber, table.logIndex),
  ],
)

/** Remaining parts of logs that exceed the size of a row. Production rejects rows above 2 MB. */
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

/** Lists of addresses of subscriptions, which would make their rows large. */
export const addressLists = sqliteTable('address_lists', {
  triggerId: text('trigger_id').primaryKey(),
  /** `AddressList`: 20 bytes each, in ascending order. */
  addresses: blob('addresses', { mode: 'buffer' }).notNull(),
})

/** Contracts of subscriptions with a factory, and the logs that named them. */
export const learnedContracts = sqliteTable(
  'learned_contracts',
  {
    triggerId: text('trigger_id').notNull(),
    address: text('address').notNull(),
    blockNumber: integer('block_number').notNull(),
    logIndex: integer('log_index').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.triggerId, table.address] }),
    index('learned_contracts_block').on(table.blockNumber),
  ],
)

export const subscriptions = sqliteTable('subscriptions', {
  triggerId: text('trigger_id').primaryKey(),
  version: integer('version').notNull(),
  generation: integer('generation').notNull(),
  /** Filter of the subscription, as JSON of `LogFilter`. */
  filter: text('filter').notNull(),
  /** Finality of the subscription, as JSON of `Finality`. It is also the key of the watermark in `marks`. */
  finality: text('finality').notNull(),
  /** First block of the live cursor, or of an adjacent backfill once the backfill is complete. */
  since: integer('since').notNull(),
  /** Block from which on all matching logs of stored blocks are present. Null before the first poll. */
  coveredFrom: integer('covered_from'),
  /** First block whose contracts are learned. Null for subscriptions without a factory. */
  learnFrom: integer('learn_from'),
  /**
   * Next block whose contracts have to be learned before logs of a factory's contracts can be searched. Null for other
   * subscriptions, and once the contracts of all searched blocks are known.
   */
  learningAt: integer('learning_at'),
  /**
   * Time at which the subscription ended, in Unix milliseconds. Null while it is active. Ended subscriptions are
   * retained for a while, so that a late call with an older version does not restart them.
   */
  endedAt: integer('ended_at'),
})

/** Cursors that are not caught up: all backfill cursors, and live cursors behind their watermark. */
export const lanes = sqliteTable(
  'lanes',
  {
    triggerId: text('trigger_id').notNull(),
    lane: text('lane', { enum: ['live', 'backfill'] }).notNull(),
    /** Block of the first log that has not been delivered. */
    nextBlock: integer('next_block').notNull(),
    nextLogIndex: integer('next_log_index').notNull(),
    /** Null for a live cursor. */
    fromBlock: integer('from_block'),
    toBlock: integer('to_block'),
  },
  (table) => [primaryKey({ columns: [table.triggerId, table.lane] })],
)

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

/** Pending reorg notices. The blocks above `above` were replaced. */
export const notices = sqliteTable(
  'notices',
  {
    serial: integer('serial').primaryKey({ autoIncrement: true }),
    triggerId: text('trigger_id').notNull(),
    above: integer('above').notNull(),
  },
  (table) => [index('notices_trigger').on(table.triggerId)],
)
