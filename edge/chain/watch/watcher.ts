import type { ChainLog } from '../chain-log.ts'
import type { Finality } from '../finality.ts'
import type { LogFilter } from '../matching/log-filter.ts'
import type { BlockRange, Subscription } from '../subscription.ts'
import type { EndpointHealth } from '../rpc/chain-reader.ts'

/**
 * The chain cannot be queried at the moment. A value instead of an error, because the class of an error is lost between
 * Durable Objects.
 */
type ChainUnreachable = { state: 'away' }

export interface Watcher {
  /** @param finality if the chain does not serve this tag, the result is `no_such_finality` */
  head(
    finality: Finality,
  ): Promise<{ state: 'known'; head: number } | ChainUnreachable | { state: 'no_such_finality' }>
  /** Starts, changes or resumes a subscription. A version that is older than the known one changes nothing. */
  watch(subscription: Subscription): Promise<void>
  /** @param version version of the trigger's record */
  unwatch(triggerId: string, version: number): Promise<void>
  /** Resumes deliveries, because the trigger's full queue has room again. */
  roomFor(triggerId: string): Promise<void>
  /** Latest finalized logs, newest first. Searches only as far back as a few requests reach. */
  recent(
    filter: LogFilter,
    finality: Finality,
    limit: number,
  ): Promise<
    | { state: 'found'; logs: ChainLog[]; searched: BlockRange }
    | ChainUnreachable
    | { state: 'busy'; retryAfterS: number }
    | { state: 'no_such_finality' }
  >
  /**
   * For a preview that found no events.
   * @param within blocks that were searched without a match; the latest of them are searched again for any event
   */
  contractAt(
    address: string,
    within: BlockRange,
  ): Promise<
    | {
        state: 'known'
        hasCode: boolean
        /** Distinct first topics, newest first; null if the chain did not return the logs. */
        events: string[] | null
      }
    | ChainUnreachable
  >
  status(): Promise<ChainStatus>
  /** Restores a lost alarm if there are subscriptions. */
  wake(): Promise<void>
}

export type ChainStatus = {
  watching: boolean
  /** Null before the first response. */
  head: number | null
  /** Unix seconds; null before the first response. */
  headTimestamp: number | null
  /** Last response from an endpoint, in Unix milliseconds; null before the first one. */
  answeredAt: number | null
  /** Last block searched for logs: below `head` while the watcher catches up, null before the first poll. */
  lookedThrough: number | null
  safe: number | null
  finalized: number | null
  /**
   * `backfills` counts the triggers with a backfill, and `behind` those that wait to retry a delivery, usually because
   * their queue is full.
   */
  triggers: number
  backfills: number
  behind: number
  endpoints: EndpointHealth[]
}
