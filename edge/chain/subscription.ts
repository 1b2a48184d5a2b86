/**
 * What a trigger's object and the watcher of its chain say to each other. The object is the truth of the trigger; the
 * watcher is the truth of what it has delivered.
 */
import type { ChainLog } from './chain-log.ts'
import type { ChainName } from './chain-settings.ts'
import type { Finality } from './finality.ts'
import type { LogFilter } from './matching/log-filter.ts'

/** A stretch of blocks, both ends included. */
export type BlockRange = { from: number; to: number }

/** What one trigger wants to be told. */
export type Subscription = {
  triggerId: string
  /** The record's version: an older one never replaces a newer one. */
  version: number
  /** Rises when the trigger begins anew: with another configuration, or enabled again. Its lanes are then begun anew. */
  generation: number
  filter: LogFilter
  finality: Finality
  /** The first block of the live lane: the one behind the head when the trigger began, or its `start_block` above it. */
  since: number
  /** Blocks before `since` that are still owed to it; `null` where there are none. */
  backfill: BlockRange | null
}

/** What a subscription's two lanes are called. Each is told in order of block and log index, and neither waits for the other. */
export type Lane = 'live' | 'backfill'

/** What the watcher tells a trigger's object, in one transaction of that object. */
export type LogDelivery = {
  /** Whose watcher tells it. `reorgedAbove` counts for a trigger of this chain in any generation, and while it is disabled. */
  chain?: ChainName
  generation: number
  lane: Lane
  /**
   * Blocks above this number, as far as they were told of before, are no longer of the chain: runs of their logs are
   * marked before the logs of this delivery are taken. Absent: nothing was taken back.
   */
  reorgedAbove?: number
  /** In order; none where there is something else to tell. */
  logs: ChainLog[]
  /** How far the backfill is: the next block that was not looked at; `null` once it has ended. Absent: nothing new. */
  backfillAt?: number | null
  /** Blocks up to this one stay for good: what is remembered of their logs may be forgotten. */
  settledThrough?: number
}

/** What became of a delivery. */
export type DeliveryAnswer =
  /** The first `count` logs have their runs on disk. Fewer than were sent: the queue is full, the others are sent again. */
  | { state: 'taken'; count: number }
  /** The trigger has begun anew since, is disabled or is not there: it is told nothing more under this generation. */
  | { state: 'over' }
