/**
 * Messages between a trigger queue and its chain's watcher. The trigger queue is the source of truth for the trigger,
 * the watcher for what has been delivered.
 */
import type { ChainLog } from './chain-log.ts'
import type { ChainName } from './chain-settings.ts'
import type { Finality } from './finality.ts'
import type { LogFilter } from './matching/log-filter.ts'

/** Inclusive at both ends. */
export type BlockRange = { from: number; to: number }

export type Subscription = {
  triggerId: string
  /** Version of the trigger's record. An older version never replaces a newer one. */
  version: number
  /** Increases when the trigger is reconfigured or enabled again, and both cursors are then reset. */
  generation: number
  filter: LogFilter
  finality: Finality
  /** First block of the live cursor: the block after the head when the trigger started, or a later `start_block`. */
  since: number
  /** Blocks before `since` that still have to be delivered; null if there is no backfill. */
  backfill: BlockRange | null
}

/**
 * Cursors of a subscription: new blocks, and the backfill of old blocks. Each delivers logs in order of block and log
 * index, independently of the other.
 */
export type CursorKind = 'live' | 'backfill'

/** A trigger may take seconds to accept a delivery, and the other triggers should not wait for it. */
export const DELIVERIES_AT_ONCE = 32

/** Sent from a chain's watcher to a trigger queue, which applies the delivery in one transaction. */
export type LogDelivery = {
  /** A trigger on this chain applies `reorgedAbove` even if the generation is outdated or the trigger is disabled. */
  chain?: ChainName
  generation: number
  lane: CursorKind
  /**
   * Reorg notice: delivered blocks above this number are no longer in the chain. The trigger queue marks the runs that
   * their logs started before it accepts the logs of this delivery. Absent if there was no reorganization.
   */
  reorgedAbove?: number
  /** In order of block and index. Empty if the delivery carries only other fields. */
  logs: ChainLog[]
  /** Next unread block of the backfill, or null once it is complete. Absent if no progress is reported. */
  backfillAt?: number | null
  /** Blocks up to this one can no longer be reorganized, so deduplication records of their logs can be deleted. */
  settledThrough?: number
}

export type DeliveryResponse =
  /**
   * Runs are stored for the first `count` logs. If fewer were accepted than sent, the queue is full, and the watcher
   * sends the rest again later.
   */
  | { state: 'taken'; count: number }
  /**
   * The trigger has a newer generation, is disabled or does not exist. The watcher delivers nothing more for this
   * generation.
   */
  | { state: 'over' }
