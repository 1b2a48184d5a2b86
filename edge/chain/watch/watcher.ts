/** RPC interface of a chain's watcher. */
import type { ChainLog } from '../chain-log.ts'
import type { Finality } from '../finality.ts'
import type { LogFilter } from '../matching/log-filter.ts'
import type { BlockRange, Subscription } from '../subscription.ts'
import type { EndpointHealth } from '../rpc/chain-reader.ts'

/**
 * Returned if the chain cannot be queried at the moment. This is a value instead of an error, because the class of an
 * error is lost between Durable Objects.
 */
export type Away = { state: 'away' }

export interface Watcher {
  /**
   * Fetches the number of the latest block.
   * @param finality finality of the trigger; if the chain does not serve this tag, the result is `no_such_finality`
   */
  head(
    finality: Finality,
  ): Promise<{ state: 'known'; head: number } | Away | { state: 'no_such_finality' }>
  /** Starts, changes or resumes a subscription. A version that is older than the known one changes nothing. */
  watch(subscription: Subscription): Promise<void>
  /** Ends the subscription of a trigger, as of a version of the trigger's record. */
  unwatch(triggerId: string, version: number): Promise<void>
  /** Resumes deliveries to a trigger, because its full queue has room again. */
  roomFor(triggerId: string): Promise<void>
  /**
   * Returns the latest finalized logs that match a filter, newest first. Searches only as far back as a few requests
   * reach.
   */
  recent(
    filter: LogFilter,
    finality: Finality,
    limit: number,
  ): Promise<
    | { state: 'found'; logs: ChainLog[]; searched: BlockRange }
    | Away
    | { state: 'busy'; retryAfterS: number }
    | { state: 'no_such_finality' }
  >
  /**
   * Describes the contract at an address for a preview that found no events.
   * @param within blocks that were searched without a match; the latest of them are searched again for any event
   */
  contractAt(
    address: string,
    within: BlockRange,
  ): Promise<
    | {
        state: 'known'
        hasCode: boolean
        /**
         * Distinct first topics of the contract's latest logs, newest first; null if the chain did not return the logs.
         */
        events: string[] | null
      }
    | Away
  >
  status(): Promise<ChainStatus>
  /** Makes sure that the watcher is running if it has subscriptions, because an alarm can be lost. */
  wake(): Promise<void>
}

export type ChainStatus = {
  watching: boolean
  /** Block number of the latest reported head; null before the first response. */
  head: number | null
  /** Time of the head block, in Unix seconds; null before the first response. */
  headTimestamp: number | null
  /** Time of the last response from an endpoint, in Unix milliseconds; null before the first response. */
  answeredAt: number | null
  /**
   * Last block that was searched for logs; below `head` while the watcher catches up, and null before the first poll.
   */
  lookedThrough: number | null
  safe: number | null
  finalized: number | null
  /**
   * Number of triggers of this chain. `backfills` counts the triggers with a backfill, and `behind` counts those that
   * wait to retry a delivery, usually because their queue is full.
   */
  triggers: number
  backfills: number
  behind: number
  endpoints: EndpointHealth[]
}
