/**
 * Messages between a trigger queue and its chain's watcher. The trigger queue is the source of truth for the trigger,
 * the watcher for what has been delivered.
 */
import type { ChainLog } from './chain-log.ts'
import type { ChainName } from './chain-settings.ts'
import type { Finality } from './finality.ts'
import type { LogFilter } from './matching/log-filter.ts'

/** A range of blocks, inclusive at both ends. */
export type BlockRange = { from: number; to: number }

export type Subscription = {
  triggerId: string
  /** Version of the trigger's record. An older version never replaces a newer one. */
  version: number
  /** Increases when the trigger gets a new configuration or is enabled again. Both cursors are then reset. */
  generation: number
  filter: LogFilter
  finality: Finality
  /** First block of the live cursor: the one after the head when the trigger started, or a later `start_block`. */
  since: number
  /** Blocks before `since` that are still to be delivered, or null. */
  backfill: BlockRange | null
}

/** A subscription's two cursors. Each delivers logs in order of block and log index, independently of the other. */
export type Lane = 'live' | 'backfill'

/** A delivery from the watcher to a trigger queue, which applies it in one transaction. */
export type LogDelivery = {
  /**
   * The watcher's chain. `reorgedAbove` applies to any generation of a trigger on this chain, even if it is disabled.
   */
  chain?: ChainName
  generation: number
  lane: Lane
  /**
   * Blocks above this number that were delivered before are no longer in the chain. Runs of their logs are marked
   * before the logs of this delivery are accepted. Absent if there was no reorganization.
   */
  reorgedAbove?: number
  /** In order. Empty if the delivery carries only other fields. */
  logs: ChainLog[]
  /** Progress of the backfill: the next unread block, or null once it is complete. Absent if unchanged. */
  backfillAt?: number | null
  /** Blocks up to this one can no longer be reorganized, so deduplication records of their logs can be deleted. */
  settledThrough?: number
}

export type DeliveryAnswer =
  /**
   * Runs of the first `count` logs are stored. If fewer than sent, the queue is full and the rest are sent again later.
   */
  | { state: 'taken'; count: number }
  /** The trigger has started over, is disabled or does not exist. Nothing more is delivered under this generation. */
  | { state: 'over' }
