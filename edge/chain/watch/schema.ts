/**
 * The storage of a chain's watcher (`docs/storage.md`). It keeps what it has read of the chain near its head, who wants
 * to be told of it, and how far each has been told. Hex is lower case. What holds between the tables:
 *
 * - Kept blocks are linked: each is the child of the one before it, and the highest is `watch.through`.
 * - Logs are of kept blocks. From a subscription's `covered_from` on, those of kept blocks that match it are all there.
 * - A mark is never above the last block that is final by its rule, and a subscription without a row in `lanes` has
 *   been told of everything up to the mark of its finality. Blocks above the lowest mark are kept.
 * - `fired` names each block at or above the lowest that is kept, of which a trigger may have been told.
 * - A notice is owed until the trigger has taken it, and what is told of blocks above it waits until then.
 */
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

/** One row, id 1: where the watcher is. */
export const watch = sqliteTable('watch', {
  id: integer('id').primaryKey(),
  /** Logs were looked for up to this block; null until the first look. */
  through: integer('through'),
  /** The highest block that an endpoint told of, and its time in Unix seconds. */
  head: integer('head'),
  headTimestamp: integer('head_timestamp'),
  safe: integer('safe'),
  finalized: integer('finalized'),
  /** When an endpoint last answered with a new block, Unix milliseconds. */
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
    /** The address and the first topic: what subscriptions are found by. */
    route: text('route').notNull(),
    /** JSON of `ChainLog`; of one that is larger than a row may be its beginning. */
    log: text('log').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.blockNumber, table.logIndex] }),
    index('logs_route').on(table.route, table.blockNumber, table.logIndex),
  ],
)

/** The rest of logs that are larger than a row may be: production refuses one of over 2 MB. */
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
  /** JSON of `Finality`: the name of its mark. */
  finality: text('finality').notNull(),
  /** The first block of the live lane; the backfill's first once that has ended, since it then goes on from there. */
  since: integer('since').notNull(),
  /** Null until the first look. */
  coveredFrom: integer('covered_from'),
  /** Unix milliseconds. It is kept a while, so that an older call that comes late does not begin it again. */
  endedAt: integer('ended_at'),
})

/** Lanes that are not in step: of a backfill always, of a live lane where it is behind its mark. */
export const lanes = sqliteTable(
  'lanes',
  {
    triggerId: text('trigger_id').notNull(),
    lane: text('lane', { enum: ['live', 'backfill'] }).notNull(),
    /** The first log that it was not told of, or what comes before it. */
    nextBlock: integer('next_block').notNull(),
    nextLogIndex: integer('next_log_index').notNull(),
    /** Of a backfill: its first and its last block. */
    fromBlock: integer('from_block'),
    toBlock: integer('to_block'),
  },
  (table) => [primaryKey({ columns: [table.triggerId, table.lane] })],
)

/** Up to which block the triggers of a finality have been told. */
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

/** What triggers are still to be told of reorganisations: blocks above this one are no longer what they were. */
export const notices = sqliteTable(
  'notices',
  {
    serial: integer('serial').primaryKey({ autoIncrement: true }),
    triggerId: text('trigger_id').notNull(),
    above: integer('above').notNull(),
  },
  (table) => [index('notices_trigger').on(table.triggerId)],
)
