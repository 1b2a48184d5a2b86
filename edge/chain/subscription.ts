/**
 * Messages between a trigger queue and its chain's watcher. The trigger queue is the source of truth for the trigger,
 * the watcher for what has been delivered.
 */
import type { ChainLog } from './chain-log.ts'
import type { ChainName } from '../../shared/config/chain-settings.ts'
import type { Finality } from './finality.ts'
import type { LogFilter } from './matching/log-filter.ts'

/** Range of block numbers, inclusive at both ends. */
export type BlockRange = { from: number; to: number }

export type Subscription = {
  triggerId: string
  /** Version of the trigger's record. An older version never replaces a newer one. */
  version: number
  /** Number that increases when the trigger is reconfigured or enabled again. Each increase resets both cursors. */
  generation: number
  filter: LogFilter
  finality: Finality
  /**
   * First block of the live cursor: the block after the head when the subscription started, or a later `start_block`.
   */
  since: number
  /** Blocks before `since` that still have to be delivered. Null if there is no backfill. */
  backfill: BlockRange | null
  /** First block whose contracts a filter with a factory learns. Absent for other filters. */
  learnFrom?: number
}

/**
 * The two cursors of a subscription: `live` for new blocks, and `backfill` for old blocks. Each cursor delivers logs in
 * order of block and log index, independently of the other.
 */
export type CursorKind = 'live' | 'backfill'

/**
 * Maximum number of concurrent deliveries. A trigger queue may take seconds to accept a delivery, and other triggers
 * should not have to wait for it.
 */
export const DELIVERIES_AT_ONCE = 32

/** A batch of logs that a chain's watcher sends to a trigger queue. The queue applies it in one transaction. */
export type LogDelivery = {
  /**
   * Chain of the logs. A trigger on this chain applies `reorgedAbove` even if the generation is outdated or the trigger
   * is disabled.
   */
  chain?: ChainName
  generation: number
  lane: CursorKind
  /**
   * Reorg notice: delivered blocks above this number are no longer in the chain. Before the trigger queue accepts the
   * logs of this delivery, it marks the runs that were started by logs of these blocks. Absent if there was no
   * reorganization.
   */
  reorgedAbove?: number
  /** Logs in order of block and index. Empty if the delivery only reports other fields. */
  logs: ChainLog[]
  /** Next unread block of the backfill, or null once it is complete. Absent if no progress is reported. */
  backfillAt?: number | null
  /** The factory has created more contracts than a trigger may have. The trigger disables itself. */
  isFactoryFull?: true
  /** Latest block that can no longer be reorganized. Deduplication records of logs up to this block can be deleted. */
  settledThrough?: number
}

export type DeliveryResponse =
  /**
   * The queue stored runs for the first `count` logs. If it accepted fewer logs than were sent, it is full, and the
   * watcher sends the remaining logs again later.
   */
  | { state: 'taken'; count: number }
  /**
   * The trigger has a newer generation, is disabled or does not exist. The watcher stops delivering logs for the
   * current generation.
   */
  | { state: 'over' }
